/** Licences under which everybody may pass a program on, changed or not, for the price of their text. */
const PERMISSIVE = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  // Not a name of SPDX; js-sorted-set writes it.
  ...['Public Domain', 'Unlicense'],
]);

/** Development dependencies that the build joins into scripts for browsers. */
const BUNDLED: readonly string[] = ['dompurify'];

/** A lock file of npm, as far as it matters here (docs.npmjs.com, package-lock.json). */
export interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly license?: string; readonly dev?: boolean }>
  >;
}

export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** As its author writes it: an expression of SPDX. */
  readonly licence: string;
  /** Only a tool of those who work on the program: not in what they give away. */
  readonly isTool: boolean;
}

/** All packages of a lock file, once each, by name. */
export function dependenciesOf({ packages }: LockFile): Dependency[] {
  const found = new Map<string, Dependency>();
  for (const [path, { version = '', license = 'none named', dev = false }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1) ?? '';
    const isTool = dev && !BUNDLED.includes(name);
    if (name !== '') found.set(`${name}@${version}`, { name, version, licence: license, isTool });
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** What may not be passed on with the program. Of several licences joined by OR one is enough; AND asks for all. */
export function withoutPermission(dependencies: readonly Dependency[]): Dependency[] {
  return dependencies.filter(({ isTool, licence }) => !isTool && !isPermissive(licence));
}

function isPermissive(expression: string): boolean {
  const choices = expression.replace(/^\(|\)$/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => PERMISSIVE.has(licence.trim())));
}

export function byLicence(dependencies: readonly Dependency[]): Map<string, Dependency[]> {
  const groups = new Map<string, Dependency[]>();
  for (const one of dependencies) groups.set(one.licence, [...(groups.get(one.licence) ?? []), one]);
  return groups;
}
