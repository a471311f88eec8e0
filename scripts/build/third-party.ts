import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the package that a file belongs to; of nested packages, the innermost. */
const IN_PACKAGE = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/;

/** Licences under which everybody may pass a program on, changed or not, for the price of their text. */
const PERMISSIVE = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
  // Not a name of SPDX; js-sorted-set writes it.
  'Public Domain',
]);

/** @param expression of SPDX. Of several licences joined by OR one is enough; AND asks for all. */
export function isPermissive(expression: string): boolean {
  const choices = expression.replace(/^\(|\)$/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => PERMISSIVE.has(licence.trim())));
}

/**
 * Writes `third-party.txt`: the licences of the packages that the program and the bundles for browsers contain, because their
 * texts have to come with every copy. Packages that are loaded from `node_modules` bring theirs with them.
 * @param files that went into the bundles
 * @throws Error for a package that nobody may pass on for the price of its licence's text, and for one without such a text
 */
export function writeThirdParty(files: readonly string[], root: string, dist: string): void {
  const folders = new Set(files.flatMap((file) => IN_PACKAGE.exec(resolve(root, file))?.[0] ?? []));
  const parts = new Set([...folders].map(licenceText));
  writeFileSync(join(dist, 'third-party.txt'), [...parts].sort().join(`\n${'-'.repeat(80)}\n\n`));
}

function licenceText(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  const title = `${name}@${version} (${license})`;
  if (!isPermissive(String(license)) || file === undefined)
    throw new Error(`${title} may not be passed on: its licence is not permissive, or has no text`);
  return `${title}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}
