/**
 * Components as large as metadata may be (design, sections 3 and 16), as plain objects that can be posted or put into JSON-LD:
 * what a request may cost is shown with these.
 */

/** The bounds of metadata, as the design has them. */
const VALUES = 64;
const TEXT = 1_024;
const URI = 2_048;
const DESCRIPTION = 16_384;
const CAPABILITIES = 32;
const INVOCATIONS = 16;
const MAPPINGS = 64;
const TEMPLATE = 2_048;
const FRAGMENT = 16_384;
/** Characters of all capabilities of a component as JSON. */
const ALL_CAPABILITIES = 65_536;

/** What takes most room where it is escaped: in JSON, in HTML, and as a part of an address. */
const LONGEST_IN = { json: '\u0001', html: '"', url: '語' } as const;

/** Classes that many ask for, and of which a node knows close ones. */
export const CLASSES: readonly string[] = [
  ...['Person', 'Organization', 'Event', 'Place', 'Product', 'Recipe', 'Movie', 'Book', 'Article', 'Review'],
  ...['WebPage', 'Dataset', 'JobPosting', 'Action', 'ImageObject', 'VideoObject', 'SoftwareApplication'],
].map((name) => `https://schema.org/${name}`);
export const PERSON = 'https://schema.org/Person';

/** The kinds of capabilities that fill the bound: each costs somewhere else. */
export const FILLINGS = ['classes', 'templates', 'elements', 'fragments'] as const;
export type Filling = (typeof FILLINGS)[number];

/** A text of a length that begins with something that differs, and is then as long as it can be where it is escaped. */
function filled(start: string, length: number, character: string): string {
  return start + character.repeat(Math.max(0, length - start.length));
}

function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** The component with a number: no two are alike. Every field is as full as it may be. */
export function hostileComponent(number: number, base = 'https://hostile.example/'): Record<string, unknown> {
  const filling = FILLINGS[number % FILLINGS.length] ?? 'classes';
  return {
    uri: filled(`${base}${number}/`, URI, 'u'),
    label: filled(`Hostile ${number} `, TEXT, LONGEST_IN.html),
    description: filled(`All of ${number} `, DESCRIPTION, LONGEST_IN.html),
    version: filled(`1.0.${number}-`, TEXT, 'v'),
    latest: true,
    author: many(VALUES, (i) => filled(`${number}-${i} `, TEXT, LONGEST_IN.json)),
    tag: many(VALUES, (i) => filled(`tag-${i} `, TEXT, LONGEST_IN.html)),
    shapes: [
      ...CLASSES,
      ...many(VALUES - CLASSES.length, (i) => filled(`https://s.example/${i}/`, TEXT, LONGEST_IN.url)),
    ],
    capability: hostileCapabilities(filling),
  };
}

/** As many capabilities of one kind as there may be. */
export function hostileCapabilities(filling: Filling): Record<string, unknown>[] {
  const all: Record<string, unknown>[] = [];
  for (let i = 0; i < CAPABILITIES; i++) {
    const one = hostileCapability(filling, i);
    if (JSON.stringify([...all, one]).length > ALL_CAPABILITIES) break;
    all.push(one);
  }
  return all;
}

function hostileCapability(filling: Filling, number: number): Record<string, unknown> {
  const resourceType = [PERSON, ...CLASSES.filter((one) => one !== PERSON)];
  if (filling === 'classes') return { action: 'odrl:display', resourceType, shape: moreClasses(number) };
  return { action: 'odrl:display', resourceType: [PERSON], invocation: invocations(filling, number) };
}

/** Characters that are left to one capability. */
const SHARE = ALL_CAPABILITIES / CAPABILITIES;

function moreClasses(number: number): string[] {
  return many(24, (i) => filled(`https://s.example/${number}/${i}/`, 48, 'c'));
}

function invocations(filling: Exclude<Filling, 'classes'>, number: number): Record<string, unknown>[] {
  if (filling === 'templates') return many(INVOCATIONS, (i) => template(number * INVOCATIONS + i));
  if (filling === 'elements') return [element(number)];
  return [fragment(number)];
}

/** Variables as often as they may be, each with a mapping. */
function template(number: number): Record<string, unknown> {
  return {
    type: 'ac:UriTemplateInvocation',
    template: filled(`https://open.example/${number}/{+x}/{+x}?{y,z}#`, 80, 't'),
    mapping: [{ variable: 'x', property: 'ac:open' }],
  };
}

function element(number: number): Record<string, unknown> {
  return {
    type: 'ElementInvocation',
    element: `hostile-${number}`,
    mapping: many(Math.min(MAPPINGS, Math.floor((SHARE - 200) / 42)), (i) => ({
      variable: `v${number}-${i}`,
      property: i === 0 ? 'ac:open' : `no-${i}`,
    })),
  };
}

function fragment(number: number): Record<string, unknown> {
  return {
    type: 'FragmentInvocation',
    fragment: filled(`<p data-x="${number}">{open}`, SHARE - 300, '<'),
    module: [],
  };
}

/** The longest template that there may be, with its variable as often as it has room: refused since it is bounded. */
export function templateOf(character: 'x', length = TEMPLATE): Record<string, unknown> {
  const one = `{${character}}`;
  return {
    type: 'ac:UriTemplateInvocation',
    template: one.repeat(Math.floor(length / one.length)),
    mapping: [{ variable: character, property: 'ac:open' }],
  };
}

export const HOSTILE_BOUNDS = { FRAGMENT } as const;

/** A document of a pod, in JSON-LD, that describes them. */
export function hostileDocument(components: readonly object[], vocabulary: string): string {
  return JSON.stringify(components.map((one) => ({ '@context': vocabulary, ...one })));
}
