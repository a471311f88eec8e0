import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageLicences } from '../licences.js';

/** The folder of the package that a file belongs to; of nested packages, the innermost. */
const IN_PACKAGE = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/**
 * Writes `third-party.txt`: the licences of the packages that the program and the bundles for browsers contain, because their
 * texts have to come with every copy. Packages that are loaded from `node_modules` bring theirs with them.
 * @param files that went into the bundles
 */
export async function writeThirdParty(files: Iterable<string>, root: string, dist: string): Promise<void> {
  const folders = new Set([...files].flatMap((file) => IN_PACKAGE.exec(resolve(root, file))?.[0] ?? []));
  const packages = await packageLicences(root, [...folders].map(idOf));
  const parts = packages.map(({ id, licence, text }) => `${id} (${licence})\n\n${text}`);
  writeFileSync(join(dist, 'third-party.txt'), parts.join(`\n${'-'.repeat(80)}\n\n`));
}

function idOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}
