import { integrityOf } from '../component/integrity.js';
import { isNoShape, shapeFault, shapeIri } from '../component/shape-names.js';
import { type BrowserModule, browserModule } from './browser-module.js';
import { type Guess, guessed } from './guesses.js';
import {
  COMPONENT_JSON,
  type ComponentJson,
  elementsInManifest,
  type FoundElement,
  offeredModules,
  type PackageJson,
  readComponentJson,
  readPackageJson,
  saidFields,
} from './manifests.js';
import type { PackageFiles } from './package-files.js';

export interface DescribeOptions {
  readonly files: PackageFiles;
  /** What its author says, which comes before what the package says. */
  readonly said?: ComponentJson | undefined;
  /** Which element, when the package has several. */
  readonly element?: string | undefined;
  /** Where the package's folder is, or will be, on the web; where npm's packages are served when absent. */
  readonly base?: string | undefined;
  /** IRIs of what the element renders, or names with a usual prefix. */
  readonly shapes: readonly string[];
}

/** A description, as `POST /component` takes it, and what its author should check. */
export interface Described {
  readonly component: Readonly<Record<string, unknown>>;
  /** What was guessed, and what is unusual: sentences. */
  readonly notes: readonly string[];
}

/**
 * Describes the custom element of an npm package, with the hash of its module.
 * @throws Error that says to its author what is missing
 */
export async function describePackage(options: DescribeOptions): Promise<Described> {
  const { files, base, said } = options;
  const text = await files.read('package.json');
  if (text === undefined) throw new Error(`there is no package.json in ${files.name}`);
  const about = readPackageJson(text);
  const path = (about.customElements ?? 'custom-elements.json').replace(/^\.\//, '');
  const manifest = await files.read(path);
  // Last, because parsing a large module takes seconds, in which servers close the connection.
  const module = await browserModule(files, offeredModules(about), about.name);
  const place = base ?? files.url ?? servedByNpm(about);
  const { component, notes } = describeElement(about, manifest, {
    ...options,
    uri: new URL(module.path, place.endsWith('/') ? place : `${place}/`).href,
    integrity: await integrityOf(new TextEncoder().encode(module.text)),
  });
  const isGuessed = base === undefined && files.url === undefined && said?.uri === undefined;
  const guess = `${GUESSED_ADDRESS}; --base names another, and a private package needs one.`;
  return { component, notes: [...(isGuessed ? [guess] : []), ...importNotes(module), ...notes] };
}

/**
 * Describes it by its manifests alone: its module is not read, so neither its hash is known, nor whether it runs in browsers as it is.
 * @param files texts by their names: package.json, and custom-elements.json and component.json where there are any
 * @throws Error that says to its author what is missing
 */
export function describeManifest(files: Readonly<Record<string, string>>): Described {
  const text = files['package.json'];
  if (text === undefined) throw new Error('the package.json is missing: give it, too');
  const about = readPackageJson(text);
  const [said = {}] = files[COMPONENT_JSON] === undefined ? [] : readComponentJson(files[COMPONENT_JSON]);
  const [path] = offeredModules(about);
  const { component, notes } = describeElement(about, files['custom-elements.json'], {
    ...{ said, shapes: said.shapes ?? [] },
    uri: path === undefined ? '' : new URL(path, servedByNpm(about)).href,
  });
  const guess =
    path === undefined ? 'Its package.json names no module: fill in its URL.' : `${GUESSED_ADDRESS}.`;
  return { component, notes: [...(said.uri === undefined ? [guess] : []), ...notes] };
}

const GUESSED_ADDRESS = "Guessed: the address, where npm's packages are served";

/** Where everything that npm publishes can be had as modules: a folder, with a slash at the end. */
function servedByNpm({ name, version }: PackageJson): string {
  return `https://unpkg.com/${name}${version === undefined ? '' : `@${version}`}/`;
}

function importNotes({ others, importsUnnamed }: BrowserModule): string[] {
  const also = importsUnnamed ? ', and more while it runs' : '';
  if (others === 0 && !importsUnnamed) return [];
  return [`The module imports ${others} other files of the package${also}; its hash covers only itself.`];
}

type Known = Pick<DescribeOptions, 'said' | 'element' | 'shapes'> & {
  /** URL of the module; empty while nobody knows it. */
  readonly uri: string;
  readonly integrity?: string;
};

function describeElement(about: PackageJson, manifest = '', known: Known): Described {
  const { said = {}, uri, integrity } = known;
  const shapes = known.shapes.map((shape) => {
    if (isNoShape(shape)) throw new Error(shapeFault(shape));
    return shapeIri(shape);
  });
  const declared = elementsInManifest(manifest);
  const element = chosen(about, declared, known.element ?? said.element);
  const isDeclared = declared.length > 0;
  const guess = guessed(element);
  const speaksEvents = element.events.includes('component-data-read');
  const words = element.name.replaceAll('-', ' ');
  const component = {
    ...{ uri, integrity, latest: isRelease(about.version) },
    label: words.charAt(0).toUpperCase() + words.slice(1),
    description: firstLine(element.description ?? about.description),
    ...{ version: about.version, author: [authorOf(about)], tag: [element.name] },
    capability: isDeclared && !speaksEvents ? capabilities(element.name, guess, shapes) : undefined,
    ...saidFields(said),
    shapes,
  };
  if (said.capability || speaksEvents) return { component, notes: [] };
  return { component, notes: isDeclared ? guessNotes(element, guess) : [withoutManifest(element.name)] };
}

/** The element that is meant: the one that is named, the package's namesake, or the only one. A package without a manifest has one. */
function chosen({ name }: PackageJson, declared: readonly FoundElement[], wanted?: string): FoundElement {
  const namesake = name.replace(/^@[^/]*\//, '');
  if (declared.length === 0) return { name: wanted ?? namesake, attributes: [], events: [], methods: [] };
  const names = [...new Set(declared.map((one) => one.name))];
  const only = names.length === 1 && wanted === undefined ? declared[0] : undefined;
  const found = declared.find((one) => one.name === (wanted ?? namesake)) ?? only;
  if (found) return found;
  const there = listed(names.reverse());
  throw new Error(
    wanted === undefined
      ? `${name} has several elements: name one of ${there} as "element" in ${COMPONENT_JSON}`
      : `${name} has no element ${wanted}; it has ${there}`,
  );
}

/** What somebody describes now is the latest, unless it is a version before a release (Semantic Versioning, section 9). */
function isRelease(version: string | undefined): boolean {
  return !version?.split('+', 1)[0]?.includes('-');
}

function firstLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n')[0]?.trim() || undefined;
}

/** Who wrote it, without the address that npm allows behind the name. */
function authorOf({ author, name }: PackageJson): string {
  const said = typeof author === 'string' ? author : author?.name;
  return said?.split(/[<(]/, 1)[0]?.trim() || name;
}

function capabilities(element: string, { mapping, write }: Guess, resourceType: readonly string[]) {
  const needsText = mapping.some(({ property }) => property === 'data');
  const format = needsText ? { format: 'text/turtle' } : {};
  const invocation = { type: 'ElementInvocation', element, ...format, mapping };
  const display = { action: 'odrl:display', resourceType, invocation: [invocation] };
  if (!write) return [display];
  return [display, { action: 'odrl:modify', resourceType, invocation: [{ ...invocation, write }] }];
}

function guessNotes({ attributes, name }: FoundElement, { mapping, write }: Guess): string[] {
  if (mapping.length === 0) {
    const there = listed(attributes) || 'none is named';
    return [`No attribute of ${name} is known to take data (${there}): write the mapping by hand.`];
  }
  const words = mapping.map(({ variable, property }) => `${variable} is ${property}`);
  const first = `Guessed, from its manifest of custom elements: ${listed(words)}. Try it, and change what is wrong.`;
  if (!write) return [first];
  return [first, `Guessed: after the event ${write.event}, ${write.method}() gives what is to be saved.`];
}

function withoutManifest(name: string): string {
  return `Nothing says how ${name} gets its data, because the package has no manifest of custom elements: hosts answer the events of the specification. If it takes data by an attribute, write its "capability" into ${COMPONENT_JSON}.`;
}

function listed(words: readonly string[]): string {
  const more = words.length - 12;
  return more > 0 ? `${words.slice(0, 12).join(', ')} and ${more} more` : words.join(', ');
}
