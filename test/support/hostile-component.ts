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
/** Characters of all capabilities of a component as JSON, and of each where all have the same. */
const ALL_CAPABILITIES = 65_536;
const SHARE = ALL_CAPABILITIES / CAPABILITIES;

/** What takes most room where it is escaped: in JSON, in HTML, and as a part of an address. */
const LONGEST_IN = { json: '\u0001', html: '"', address: '語' } as const;

/** Classes that many ask for, and of which a node knows close ones. */
export const CLASSES: readonly string[] = [
  ...['Person', 'Organization', 'Event', 'Place', 'Product', 'Recipe', 'Movie', 'Book', 'Article', 'Review'],
  ...['WebPage', 'Dataset', 'JobPosting', 'Action', 'ImageObject', 'VideoObject', 'SoftwareApplication'],
].map((name) => `https://schema.org/${name}`);
export const PERSON = 'https://schema.org/Person';

/** The kinds of capabilities that fill the bound: each costs somewhere else. */
export const FILLINGS = ['classes', 'templates', 'elements', 'fragments'] as const;
type Filling = (typeof FILLINGS)[number];

/** The values by which all of them are found. */
export const HOSTILE_TAG = filled('tag-0 ', TEXT, LONGEST_IN.html);
export const hostileUri = (number: number) => filled(`https://hostile.example/${number}/`, URI, 'u');

/** The component with a number: no two are alike, and every field is as full as it may be. */
export function hostileComponent(number: number): Record<string, unknown> {
  return {
    uri: hostileUri(number),
    label: filled(`Hostile ${number} `, TEXT, LONGEST_IN.html),
    description: filled(`All of ${number} `, DESCRIPTION, LONGEST_IN.html),
    version: filled(`1.0.${number}-`, TEXT, 'v'),
    latest: true,
    author: many(VALUES, (i) => filled(`${number}-${i} `, TEXT, LONGEST_IN.json)),
    tag: many(VALUES, (i) => filled(`tag-${i} `, TEXT, LONGEST_IN.html)),
    shapes: [
      ...CLASSES,
      ...many(VALUES - CLASSES.length, (i) => filled(`https://s.example/${i}/`, TEXT, LONGEST_IN.address)),
    ],
    capability: capabilities(FILLINGS[number % FILLINGS.length] ?? 'classes'),
  };
}

/** A text that begins with what tells it from others, and is then as long as it can be where it is escaped. */
function filled(start: string, length: number, character: string): string {
  return start + character.repeat(Math.max(0, length - start.length));
}

function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** As many capabilities of one kind as there may be. */
function capabilities(filling: Filling): object[] {
  const all: object[] = [];
  for (let i = 0; i < CAPABILITIES; i++) {
    const one = capability(filling, i);
    if (JSON.stringify([...all, one]).length > ALL_CAPABILITIES) break;
    all.push(one);
  }
  return all;
}

function capability(filling: Filling, number: number): object {
  const action = 'odrl:display';
  if (filling === 'classes') {
    const shape = many(24, (i) => filled(`https://s.example/${number}/${i}/`, 48, 'c'));
    return { action, resourceType: CLASSES, shape };
  }
  return { action, resourceType: [PERSON], invocation: invocations(filling, number) };
}

function invocations(filling: Exclude<Filling, 'classes'>, number: number): object[] {
  if (filling === 'templates') return many(INVOCATIONS, (i) => template(number * INVOCATIONS + i));
  return [filling === 'elements' ? element(number) : fragment(number)];
}

/** Its variable as often as it may be named. */
function template(number: number): object {
  return {
    type: 'ac:UriTemplateInvocation',
    template: filled(`https://open.example/${number}/{+x}/{+x}?{y,z}#`, 80, 't'),
    mapping: [{ variable: 'x', property: 'ac:open' }],
  };
}

function element(number: number): object {
  const mapping = many(Math.floor((SHARE - 200) / 42), (i) => ({
    variable: `v${number}-${i}`,
    property: i === 0 ? 'ac:open' : `no-${i}`,
  }));
  return { type: 'ElementInvocation', element: `hostile-${number}`, mapping };
}

function fragment(number: number): object {
  const text = filled(`<p data-x="${number}">{open}`, SHARE - 300, '<');
  return { type: 'FragmentInvocation', fragment: text, module: [] };
}
