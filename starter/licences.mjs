import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from './parts.mjs';

/** Licences that let a module be passed on by anybody, changed or not, for the price of their text. */
export const PERMISSIVE = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense'];

/** Of `(MPL-2.0 OR Apache-2.0)` the one that is taken; undefined when none is permissive. */
export function permissive(expression = '') {
  return expression
    .replace(/[()]/g, '')
    .split(/ OR /i)
    .find((licence) => PERMISSIVE.includes(licence.trim()));
}

/** Dependencies of packages that are not in the files from which bundles are made. */
const ABSENT = /^(?:@mapbox\/|mapbox-gl$|@material\/|bootstrap$|leaflet|leaflet[.-]|stream$)/;
const LINE = '-'.repeat(80);

/**
 * The packages whose files are in a bundle, and the text that goes with it: for each its name, version, licence and the
 * files in which its authors say so, or else who they are and the text of the licence; and the same of what they have bundled.
 * @param prebuilt files in which a package names the licences of what its authors have bundled
 * @throws Error for a licence that is not permissive, and for a part of a bundle of which nobody knows the licence
 */
export function licencesOf(folder, inputs, prebuilt) {
  const roots = new Set(
    inputs.flatMap((path) => /^(?:.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const { overrides } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const packages = [...roots].sort().map((root) => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(folder, root, 'package.json'), 'utf8'),
    );
    const said = typeof license === 'string' ? license : license?.type;
    const licence = permissive(said)?.trim();
    if (!licence)
      throw new Error(`${name}@${version} is under ${said}, which is not in the list of permissive licences`);
    const by = typeof author === 'string' ? author : author?.name;
    return { name, version, licence, root, author: by?.replace(/\s*[<(].*$/, '') };
  });
  const parts = packages.map(({ name }) => partsOf(name, Object.keys(overrides[name] ?? {})));
  const used = new Set(parts.flatMap(({ licences }) => licences));
  const sections = packages.map(({ name, version, licence, root, author }, i) => {
    const own = [
      ...licenceFiles(join(folder, root)),
      ...prebuilt
        .filter((path) => path.startsWith(`${name}/`))
        .map((path) => join(folder, 'node_modules', path)),
    ].map((path) => readFileSync(path, 'utf8').trim());
    const copyright = `Copyright (c) ${author ?? `the authors of ${name}`}`;
    if (own.length === 0) used.add(licence);
    const said = own.length > 0 ? own.join('\n\n') : `${copyright}\n\nThe text of the licence is below.`;
    return `${name} ${version}${author ? `, by ${author}` : ''}: ${licence}\n\n${said}\n${parts[i].text}`;
  });
  const texts = [...used].sort().map((licence) => `${licence}\n\n${licenceText(folder, licence)}`);
  return {
    packages: packages.map(({ name, version, licence }) => ({ name, version, licence })),
    text:
      sections.length > 0
        ? [...sections, ...texts].join(`\n${LINE}\n\n`)
        : readFileSync(join(folder, '..', 'LICENSE'), 'utf8'),
  };
}

/** What authors have put into their own bundle, which is not installed once more. */
function partsOf(name, dependencies) {
  const byLicence = PARTS[name] ?? {};
  const known = new Set(
    Object.values(byLicence).flatMap((byHolder) =>
      Object.values(byHolder).flatMap((names) => names.split(' ')),
    ),
  );
  const unknown = dependencies.find((one) => !known.has(one) && !ABSENT.test(one));
  if (unknown)
    throw new Error(`nobody knows the licence of ${unknown}, which ${name} is built from: see parts.mjs`);
  const lines = Object.entries(byLicence).map(([licence, byHolder]) => {
    const holders = Object.entries(byHolder).map(
      ([holder, names]) => `  ${holder}: ${names.replaceAll(' ', ', ')}`,
    );
    return `${licence}, the text of which is below:\n${holders.join('\n')}`;
  });
  const text =
    lines.length > 0
      ? `\nIts authors have built it from these, or parts of them.\n\n${lines.join('\n\n')}\n`
      : '';
  return { licences: Object.keys(byLicence), text };
}

function licenceText(folder, licence) {
  return readFileSync(join(folder, 'licences', `${licence}.txt`), 'utf8').trimEnd();
}

function licenceFiles(root) {
  const isLicence = /^(licen[cs]e|notice|copying)/i;
  return existsSync(root)
    ? readdirSync(root)
        .filter((file) => isLicence.test(file))
        .map((file) => join(root, file))
    : [];
}
