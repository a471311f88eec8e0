import { integrityOf } from '../component/integrity.js';
import { isNoShape, shapeFault, shapeIri } from '../component/shape-names.js';
import { type BrowserModule, browserModule } from './browser-module.js';
import { type ComponentJson, saidFields } from './component-json.js';
import { elementsInManifest, elementsInModule } from './elements.js';
import { type FoundElement, type Guess, guessed } from './guesses.js';
import type { PackageFiles } from './package-files.js';
import { authorOf, offeredModules, type PackageJson, readPackageJson } from './package-json.js';

export interface DescribeOptions {
  readonly files: PackageFiles;
  /** Which element, when the package has several. */
  readonly element?: string | undefined;
  /** Where the package's folder is, or will be, on the web; where npm's packages are served when absent. */
  readonly base?: string | undefined;
  /** IRIs of what the element renders, or names with a usual prefix. */
  readonly shapes: readonly string[];
  /** What its author says, which comes before what the package says. */
  readonly said?: ComponentJson | undefined;
}

/** A description, as `POST /component` takes it, and what its author should check. */
export interface Described {
  readonly component: Readonly<Record<string, unknown>>;
  /** What was guessed, and what is unusual: sentences. */
  readonly notes: readonly string[];
}

/**
 * Describes the custom element of an npm package.
 * @throws Error that says to its author what is missing
 */
export async function describePackage({
  files,
  base,
  said = {},
  ...given
}: DescribeOptions): Promise<Described> {
  const element = given.element ?? said.element;
  const written = said.shapes ?? given.shapes;
  const none = written.find(isNoShape);
  if (none !== undefined) throw new Error(shapeFault(none));
  const shapes = written.map(shapeIri);
  const text = await files.read('package.json');
  if (text === undefined) throw new Error(`there is no package.json in ${files.name}`);
  const packageJson = readPackageJson(text);
  const { found: module, unfit } = await browserModule(files, offeredModules(packageJson));
  if (!module) {
    const why = unfit.map(({ path, why: reason }) => `\n  ${path}: ${reason}`).join('');
    throw new Error(
      `${packageJson.name} has no module that browsers can run without bundling${why || '\n  its package.json names none'}\nBundle it into one file (esbuild --bundle --format=esm), and name that file "unpkg" in package.json`,
    );
  }
  const manifest = await files.read(
    (packageJson.customElements ?? 'custom-elements.json').replace(/^\.\//, ''),
  );
  const declared = manifest === undefined ? [] : elementsInManifest(manifest);
  const chosen = choose([...declared, ...elementsInModule(module.text)], element, packageJson.name);
  const place = base === undefined ? (files.url ?? servedByNpm(packageJson)) : base;
  const guess = guessed(chosen);
  const capability = speaksEvents(module.text) ? undefined : capabilities(chosen.name, guess, shapes);
  const found = {
    uri: new URL(module.path, place.endsWith('/') ? place : `${place}/`).href,
    integrity: await integrityOf(new TextEncoder().encode(module.text)),
    latest: isRelease(packageJson.version) || undefined,
    capability,
  };
  return {
    component: { ...componentOf(packageJson, chosen, found), ...saidFields(said), shapes },
    notes: [
      ...(base === undefined && files.url === undefined && said.uri === undefined
        ? [
            `Guessed: the address, where npm's packages are served; --base names another, and a private package needs one.`,
          ]
        : []),
      ...importNotes(module),
      ...guessNotes(chosen, guess, {
        isDeclared: declared.includes(chosen),
        speaks: speaksEvents(module.text) || said.capability !== undefined,
      }),
    ],
  };
}

/** The description of an element, as far as its package tells it beside what was found of its module. */
export function componentOf(
  packageJson: PackageJson,
  { name, description }: FoundElement,
  found: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const words = name.replaceAll('-', ' ');
  return {
    ...found,
    label: words.charAt(0).toUpperCase() + words.slice(1),
    description: (description ?? packageJson.description)?.trim().split('\n')[0]?.trim() || undefined,
    version: packageJson.version,
    author: [authorOf(packageJson)],
    tag: [name],
  };
}

/** What somebody describes now is the latest, unless it is a version before a release (Semantic Versioning, section 9). */
export function isRelease(version: string | undefined): boolean {
  return version !== undefined && !version.split('+', 1)[0]?.includes('-');
}

export function choose(
  elements: readonly FoundElement[],
  wanted: string | undefined,
  name: string,
): FoundElement {
  const byName = new Map([...elements].reverse().map((one) => [one.name, one]));
  if (wanted !== undefined) {
    const chosen = byName.get(wanted);
    if (!chosen) throw new Error(`${name} has no element ${wanted}; it has ${listed([...byName.keys()])}`);
    return chosen;
  }
  const namesake = byName.get(name.replace(/^@[^/]*\//, ''));
  if (namesake) return namesake;
  const [only, ...others] = byName.values();
  if (!only) throw new Error(`${name} defines no custom element that its manifest or its module names`);
  if (others.length > 0)
    throw new Error(`${name} has several elements; --element names one of ${listed([...byName.keys()])}`);
  return only;
}

/** The events of the specification need no mapping: such an element asks for its data. */
function speaksEvents(module: string): boolean {
  return module.includes('component-data-read');
}

export function capabilities(
  element: string,
  { mapping, write }: Guess,
  shapes: readonly string[],
): unknown[] {
  const needsText = mapping.some(({ property }) => property === 'data');
  const invocation = {
    type: 'ElementInvocation',
    element,
    ...(needsText ? { format: 'text/turtle' } : {}),
    mapping,
  };
  const about = { resourceType: shapes };
  return [
    { action: 'odrl:display', ...about, invocation: [invocation] },
    ...(write ? [{ action: 'odrl:modify', ...about, invocation: [{ ...invocation, write }] }] : []),
  ];
}

function importNotes({ others, importsUnnamed }: BrowserModule): string[] {
  const also = importsUnnamed ? ', and more while it runs' : '';
  if (others === 0 && !importsUnnamed) return [];
  return [`The module imports ${others} other files of the package${also}; its hash covers only itself.`];
}

export function guessNotes(
  { attributes, name }: FoundElement,
  { mapping, write }: Guess,
  { isDeclared, speaks }: { isDeclared: boolean; speaks: boolean },
): string[] {
  if (speaks) return [];
  const from = isDeclared
    ? 'its manifest of custom elements'
    : 'the text of its module, because it has no manifest';
  if (mapping.length === 0)
    return [
      `No attribute of ${name} is known to take data (${listed(attributes) || 'none is named'}): write the mapping by hand.`,
    ];
  const words = mapping.map(({ variable, property }) => `${variable} is ${property}`);
  return [
    `Guessed, from ${from}: ${listed(words)}. Try it, and change what is wrong.`,
    ...(write
      ? [`Guessed: after the event ${write.event}, ${write.method}() gives what is to be saved.`]
      : []),
  ];
}

/** Where everything that npm publishes can be had as modules. */
export function servedByNpm({ name, version }: PackageJson): string {
  return `https://unpkg.com/${name}${version === undefined ? '' : `@${version}`}/`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 12);
  return words.length > shown.length
    ? `${shown.join(', ')} and ${words.length - shown.length} more`
    : shown.join(', ');
}
