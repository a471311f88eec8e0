import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that let a module be passed on by anybody, changed or not, for the price of their text. */
export const PERMISSIVE = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense'];

/** Of `(MPL-2.0 OR Apache-2.0)` the one that is taken; undefined when none is permissive. */
export function permissive(expression = '') {
  return expression
    .replace(/[()]/g, '')
    .split(/ OR /i)
    .find((licence) => PERMISSIVE.includes(licence.trim()));
}

/**
 * The packages whose files are in a bundle, and the text that goes with it: for each its name, version, licence and the
 * files in which its authors say so.
 * @param prebuilt files in which a package names the licences of what its authors have bundled
 * @throws Error for a licence that is not permissive
 */
export function licencesOf(folder, inputs, prebuilt) {
  const roots = new Set(
    inputs.flatMap((path) => /^(?:.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const packageJson = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // What authors have put into their own bundle is not installed once more.
  const partsOf = (name, dependencies) =>
    Object.entries(dependencies).filter(([part]) => packageJson.overrides[name]?.[part] !== undefined);
  const packages = [...roots].sort().map((root) => {
    const {
      name,
      version,
      license,
      author,
      dependencies = {},
    } = JSON.parse(readFileSync(join(folder, root, 'package.json'), 'utf8'));
    const said = typeof license === 'string' ? license : license?.type;
    const licence = permissive(said);
    if (!licence)
      throw new Error(`${name}@${version} is under ${said}, which is not in the list of permissive licences`);
    const by = typeof author === 'string' ? author : author?.name;
    return { name, version, licence, root, author: by, parts: partsOf(name, dependencies) };
  });
  const text = packages.map(({ name, version, licence, root, author, parts }) => {
    const texts = [
      ...licenceFiles(join(folder, root)),
      ...prebuilt.map((path) => join(folder, 'node_modules', path)),
    ];
    const own = texts.filter((path) => path.startsWith(join(folder, root, '/')));
    const said = own.map((path) => readFileSync(path, 'utf8').trim());
    const by = author ? `, by ${author}` : '';
    const built =
      parts.length > 0
        ? `\nIts authors have built it from these, or parts of them: ${parts.map((part) => part.join(' ')).join(', ')}.\n`
        : '';
    return `${name} ${version}${by}: ${licence}\n\n${said.join('\n\n') || `Its package has no other text of the licence than this name; ${link(licence)} has it.`}\n${built}`;
  });
  return {
    packages: packages.map(({ name, version, licence }) => ({ name, version, licence })),
    text:
      text.length > 0
        ? text.join(`\n${'-'.repeat(80)}\n\n`)
        : readFileSync(join(folder, '..', 'LICENSE'), 'utf8'),
  };
}

function licenceFiles(root) {
  const isLicence = /^(licen[cs]e|notice|copying)/i;
  return existsSync(root)
    ? readdirSync(root)
        .filter((file) => isLicence.test(file))
        .map((file) => join(root, file))
    : [];
}

function link(licence) {
  return `https://spdx.org/licenses/${licence}.html`;
}
