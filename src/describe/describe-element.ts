import { isNoShape, shapeFault, shapeIri } from '../component/shape-names.js';
import { type ComponentJson, saidFields } from './component-json.js';
import { COMPONENT_JSON } from './component-json-name.js';
import { type FoundElement, type Guess, guessed } from './guesses.js';
import { authorOf, type PackageJson } from './package-json.js';

/** What is known of a package and of the module in it that hosts import. */
export interface KnownPackage {
  readonly packageJson: PackageJson;
  /** The elements that its custom elements manifest declares; none without a manifest. */
  readonly declared: readonly FoundElement[];
  /** What its author says, which comes before what the package says. */
  readonly said: ComponentJson;
  /** Which element, when the package has several. */
  readonly element?: string | undefined;
  /** IRIs of what the element renders, or names with a usual prefix. */
  readonly shapes: readonly string[];
  /** URL of the module; empty while nobody knows it. */
  readonly uri: string;
  readonly integrity?: string | undefined;
}

/** A description, as `POST /component` takes it, and what its author should check. */
export interface Described {
  readonly component: Readonly<Record<string, unknown>>;
  /** What was guessed, and what is unusual: sentences. */
  readonly notes: readonly string[];
}

/**
 * Describes one custom element of an npm package by what the package says of itself.
 * @throws Error that says to its author what is missing
 */
export function describeElement(known: KnownPackage): Described {
  const { packageJson, said, uri, integrity } = known;
  const shapes = shapesOf(known);
  const element = choose(known);
  const isDeclared = known.declared.includes(element);
  const guess = guessed(element);
  const speaksEvents = element.events.includes('component-data-read');
  const needsMapping = isDeclared && !speaksEvents;
  const words = element.name.replaceAll('-', ' ');
  const component = {
    ...{ uri, integrity, latest: isRelease(packageJson.version) },
    label: words.charAt(0).toUpperCase() + words.slice(1),
    description: firstLine(element.description ?? packageJson.description),
    version: packageJson.version,
    author: [authorOf(packageJson)],
    tag: [element.name],
    capability: needsMapping ? capabilities(element.name, guess, shapes) : undefined,
    ...saidFields(said),
    shapes,
  };
  if (said.capability || speaksEvents) return { component, notes: [] };
  return { component, notes: isDeclared ? guessNotes(element, guess) : [withoutManifest(element.name)] };
}

function shapesOf({ shapes }: KnownPackage): string[] {
  const none = shapes.find(isNoShape);
  if (none !== undefined) throw new Error(shapeFault(none));
  return shapes.map(shapeIri);
}

/** The element that is meant: the one that is named, the package's namesake, or the only one. A package without a manifest has one. */
function choose({ packageJson: { name }, declared, element, said }: KnownPackage): FoundElement {
  const wanted = element ?? said.element;
  const namesake = name.replace(/^@[^/]*\//, '');
  if (declared.length === 0) return { name: wanted ?? namesake, attributes: [], events: [], methods: [] };
  const byName = new Map(declared.toReversed().map((one) => [one.name, one]));
  const chosen =
    byName.get(wanted ?? namesake) ?? (byName.size === 1 && wanted === undefined ? declared[0] : undefined);
  if (chosen) return chosen;
  const there = listed([...byName.keys()]);
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

function capabilities(element: string, { mapping, write }: Guess, shapes: readonly string[]): unknown[] {
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

function guessNotes({ attributes, name }: FoundElement, { mapping, write }: Guess): string[] {
  if (mapping.length === 0)
    return [
      `No attribute of ${name} is known to take data (${listed(attributes) || 'none is named'}): write the mapping by hand.`,
    ];
  const words = mapping.map(({ variable, property }) => `${variable} is ${property}`);
  return [
    `Guessed, from its manifest of custom elements: ${listed(words)}. Try it, and change what is wrong.`,
    ...(write
      ? [`Guessed: after the event ${write.event}, ${write.method}() gives what is to be saved.`]
      : []),
  ];
}

function withoutManifest(name: string): string {
  return `Nothing says how ${name} gets its data, because the package has no manifest of custom elements: hosts answer the events of the specification. If it takes data by an attribute, write its "capability" into ${COMPONENT_JSON}.`;
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 12);
  return words.length > shown.length
    ? `${shown.join(', ')} and ${words.length - shown.length} more`
    : shown.join(', ');
}
