import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPermissive } from '../dependencies/licences.js';

interface Package {
  readonly name: string;
  readonly version: string;
  /** By its SPDX expression. */
  readonly license: string;
  /** The text of the licence, where the package has one. */
  readonly text: string;
}

/** The folder and the name of the package that a file belongs to; of nested packages, the innermost. */
const IN_PACKAGE = /^(.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+))[/\\]/;
const LICENSE_FILE = /^(licen[cs]e|copying)/i;

/**
 * Writes what the bundles in `dist` contain of others: `third-party.txt` with the licences, whose texts have to come with
 * every copy, and `bom.cdx.json` (CycloneDX 1.5), by which scanners know the packages that no `node_modules` shows them.
 */
export function writeThirdParty(files: Iterable<string>, dist: string): void {
  const packages = packagesOf(files);
  const parts = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`,
  );
  writeFileSync(join(dist, 'third-party.txt'), parts.join(`\n${'-'.repeat(80)}\n\n`));
  const components = packages.map(({ name, version, license }) => ({
    ...{ type: 'library', name, version, licenses: [{ expression: license }] },
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }));
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components };
  writeFileSync(join(dist, 'bom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
}

/** Sorted by name. */
function packagesOf(files: Iterable<string>): Package[] {
  const found = new Map<string, Package>();
  for (const file of files) {
    const [, folder] = IN_PACKAGE.exec(resolve(file)) ?? [];
    if (folder === undefined || found.has(folder)) continue;
    found.set(folder, packageIn(folder));
  }
  const byId = new Map([...found.values()].map((one) => [`${one.name}@${one.version}`, one]));
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function packageIn(folder: string): Package {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license, author } = manifest;
  if (typeof license !== 'string') throw new Error(`${folder} does not say its licence in package.json`);
  if (!isPermissive(license))
    throw new Error(`${folder} is under ${license}, which is not in the list of permissive licences`);
  const file = readdirSync(folder).find((entry) => LICENSE_FILE.test(entry));
  const by = typeof author === 'string' ? author : (author?.name ?? 'its authors');
  const text = file === undefined ? `Copyright of ${by}\n` : readFileSync(join(folder, file), 'utf8');
  return { name, version, license, text };
}
