import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package that is given away with the program, or that npm installs beside it. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** As its author writes it: an expression of SPDX. */
  readonly licence: string;
}

/** A list of what is in a bundle (CycloneDX 1.5), as the build writes it. */
interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly { readonly expression: string }[];
  }[];
}

/** A lock file of npm (docs.npmjs.com, package-lock.json). */
interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly license?: string; readonly dev?: boolean }>
  >;
}

/** What the build has joined into `dist`, and what npm installs beside it, by name; once each. */
export function givenAway(root: string): Dependency[] {
  const bill: Bill = JSON.parse(readFileSync(join(root, 'dist/bom.cdx.json'), 'utf8'));
  const joined = bill.components.map(({ name, version, licenses }) => {
    return { name, version, licence: licenses.map(({ expression }) => expression).join(' AND ') };
  });
  const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version = '', license = 'none named' }]) => {
      return { name: path.split('node_modules/').at(-1) ?? '', version, licence: license };
    });
  const all = new Map([...joined, ...installed].map((one) => [idOf(one), one]));
  return [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function idOf({ name, version }: Pick<Dependency, 'name' | 'version'>): string {
  return `${name}@${version}`;
}
