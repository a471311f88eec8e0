import { integrityOf } from '../component/integrity.js';
import { isNoShape, shapeFault, shapeIri } from '../component/shape-names.js';
import { type BrowserModule, browserModule } from './browser-module.js';
import { guessedMapping, type Mapping } from './guesses.js';
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
import { packageFolder, type ReadFile, readerIn } from './package-files.js';

interface DescribeOptions {
  /** Of the package; its package.json may be named, too. */
  readonly folder: string;
  /** Which element, when the package has several and component.json does not say. */
  readonly element?: string | undefined;
  /** Where the package's folder is, or will be, on the web; where npm's packages are served when absent. */
  readonly base?: string | undefined;
  /** IRIs of what its elements render, or names with a usual prefix, where component.json does not say. */
  readonly shapes: readonly string[] | undefined;
}

/** Descriptions, as `POST /component` takes them, and what their author should check. */
export interface Described {
  readonly components: readonly Readonly<Record<string, unknown>>[];
  /** What was guessed, and what is unusual: sentences. */
  readonly notes: readonly string[];
}

/**
 * Describes the custom elements of an npm package: those that component.json lists, else its one element.
 * @throws Error that says to its author what is missing
 */
export async function describePackage(options: DescribeOptions): Promise<Described> {
  const { shapes, element } = options;
  const folder = packageFolder(options.folder);
  const read = readerIn(folder);
  const text = await read('package.json');
  if (text === undefined) throw new Error(`there is no package.json in ${folder}`);
  const about = readPackageJson(text);
  const json = await read(COMPONENT_JSON);
  const path = (about.customElements ?? 'custom-elements.json').replace(/^\.\//, '');
  const declared = elementsInManifest((await read(path)) ?? '');
  const entries: readonly ComponentJson[] = json === undefined ? [{}] : readComponentJson(json);
  for (const said of entries)
    if (!(said.shapes ?? shapes))
      throw new Error(
        `name what ${said.element ?? 'the element'} renders: --shape <iri>, or "shapes" in ${COMPONENT_JSON} beside the package.json`,
      );
  const module = await moduleOf(about, read, options.base);
  const described = entries.map((said) => {
    const known = { uri: module.uri, integrity: module.integrity, element: element ?? said.element };
    return describeElement(about, declared, { said, shapes: said.shapes ?? shapes ?? [], ...known });
  });
  const notes = entries.every(({ uri }) => uri !== undefined) ? [] : module.notes;
  return {
    components: described.map(({ component }) => component),
    notes: [...notes, ...described.flatMap((one) => one.notes)],
  };
}

interface Module {
  readonly uri: string;
  readonly integrity: string;
  readonly notes: readonly string[];
}

/** The module that hosts import: its address, and its hash. */
async function moduleOf(about: PackageJson, read: ReadFile, base?: string): Promise<Module> {
  const { name, version } = about;
  const module = await browserModule(read, offeredModules(about), name);
  // Where everything that npm publishes can be had as modules.
  const place = base ?? `https://unpkg.com/${name}${version === undefined ? '' : `@${version}`}/`;
  const guess =
    "Guessed: the address, where npm's packages are served; --base names another, and a private package needs one.";
  return {
    uri: new URL(module.path, place.endsWith('/') ? place : `${place}/`).href,
    integrity: await integrityOf(new TextEncoder().encode(module.text)),
    notes: [...(base === undefined ? [guess] : []), ...importNotes(module)],
  };
}

function importNotes({ others, importsUnnamed }: BrowserModule): string[] {
  const also = importsUnnamed ? ', and more while it runs' : '';
  if (others === 0 && !importsUnnamed) return [];
  return [`The module imports ${others} other files of the package${also}; its hash covers only itself.`];
}

interface Known extends Pick<Module, 'uri' | 'integrity'> {
  readonly said: ComponentJson;
  readonly element: string | undefined;
  readonly shapes: readonly string[];
}

function describeElement(about: PackageJson, declared: readonly FoundElement[], known: Known) {
  const { said, uri, integrity } = known;
  const shapes = known.shapes.map((shape) => {
    if (isNoShape(shape)) throw new Error(shapeFault(shape));
    return shapeIri(shape);
  });
  const element = chosen(about, declared, known.element);
  const isDeclared = declared.length > 0;
  const mapping = guessedMapping(element);
  const speaksEvents = element.events.includes('component-data-read');
  const words = element.name.replaceAll('-', ' ');
  const component = {
    ...{ uri, integrity, latest: isRelease(about.version) },
    label: words.charAt(0).toUpperCase() + words.slice(1),
    description: firstLine(element.description ?? about.description),
    ...{ version: about.version, author: [authorOf(about)], tag: [element.name] },
    capability: isDeclared && !speaksEvents ? capabilities(element.name, mapping, shapes) : undefined,
    ...saidFields(said),
    shapes,
  };
  if (said.capability || speaksEvents) return { component, notes: [] };
  return { component, notes: isDeclared ? guessNotes(element, mapping) : [withoutManifest(element.name)] };
}

/** The element that is meant: the one that is named, the package's namesake, or the only one. A package without a manifest has one. */
function chosen({ name }: PackageJson, declared: readonly FoundElement[], wanted?: string): FoundElement {
  const namesake = name.replace(/^@[^/]*\//, '');
  if (declared.length === 0) return { name: wanted ?? namesake, attributes: [], events: [] };
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

function capabilities(element: string, mapping: readonly Mapping[], resourceType: readonly string[]) {
  const needsText = mapping.some(({ property }) => property === 'data');
  const format = needsText ? { format: 'text/turtle' } : {};
  const invocation = [{ type: 'ElementInvocation', element, ...format, mapping }];
  return [{ action: 'odrl:display', resourceType, invocation }];
}

function guessNotes({ attributes, name }: FoundElement, mapping: readonly Mapping[]): string[] {
  const there = listed(attributes) || 'none is named';
  const words = mapping.map(({ variable, property }) => `${variable} is ${property}`);
  return mapping.length === 0
    ? [`No attribute of ${name} is known to take data (${there}): write the mapping by hand.`]
    : [`Guessed, from its manifest of custom elements: ${listed(words)}. Try it, and change what is wrong.`];
}

function withoutManifest(name: string): string {
  return (
    `Nothing says how ${name} gets its data, because the package has no manifest of custom elements: hosts answer ` +
    `the events of the specification. If it takes data by an attribute, write its "capability" into ${COMPONENT_JSON}.`
  );
}

function listed(words: readonly string[]): string {
  const more = words.length - 12;
  return more > 0 ? `${words.slice(0, 12).join(', ')} and ${more} more` : words.join(', ');
}
