/** `npm run licences`: what npm installs with the program, by licence. Exits with 1 where one is not permissive. */
import { fileURLToPath } from 'node:url';
import { type InitOpts, init, type ModuleInfo } from 'license-checker-rseidelsohn';

interface PackageLicence {
  /** `<name>@<version>`. */
  readonly id: string;
  /** As its author writes it: an expression of SPDX. */
  readonly licence: string;
  /** The text of the licence; empty where the package has none. */
  readonly text: string;
}

/**
 * What license-checker finds in `node_modules`, in the order of names.
 * @param packages those that npm installs with the program, or those named `<name>@<version>`
 * @throws Error with the packages that nobody may pass on for the price of their licence's text
 */
export async function packageLicences(
  root: string,
  packages: 'installed' | readonly string[],
): Promise<PackageLicence[]> {
  // The types of license-checker call the second one `packages`, which nobody reads.
  const which: Partial<InitOpts> & { includePackages?: string } =
    packages === 'installed' ? { production: true } : { includePackages: packages.join(';') };
  // Of this package itself no licence is asked.
  const options = { start: root, excludePackages: 'component-registry-node', ...which };
  const found = await new Promise<[string, ModuleInfo][]>((resolve, reject) => {
    init({ ...options, customPath: { licenseText: '' } }, (error, modules) =>
      error ? reject(error) : resolve(Object.entries(modules)),
    );
  });
  const all = found.map(([id, { licenses = 'none named', licenseText = '' }]) => {
    return { id, licence: [licenses].flat().join(' AND '), text: String(licenseText) };
  });
  const refused = all.filter(({ licence }) => !isPermissive(licence));
  if (refused.length > 0) {
    const named = refused.map(({ id, licence }) => `${id} (${licence})`).join(', ');
    throw new Error(`not under a permissive licence (scripts/licences.ts): ${named}`);
  }
  return all.sort((one, other) => (one.id < other.id ? -1 : 1));
}

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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = await packageLicences(fileURLToPath(new URL('..', import.meta.url)), 'installed');
  for (const licence of [...new Set(all.map((one) => one.licence))].sort()) {
    const those = all.filter((one) => one.licence === licence).map(({ id }) => id);
    console.log(`${licence} (${those.length}): ${those.join(', ')}`);
  }
}
