/**
 * Components as large as metadata may be (design, sections 3 and 16), as plain objects that can be posted: what a request may
 * cost is shown with these.
 */
const [VALUES, TEXT, URI, DESCRIPTION, CAPABILITIES, INVOCATIONS] = [64, 1_024, 2_048, 16_384, 32, 16];
/** Characters of all capabilities of a component as JSON. */
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

/** Text that begins with what tells it from others, and is then as long as it may be where it is escaped. */
const filled = (start: string, length: number, character: string) =>
  start + character.repeat(Math.max(0, length - start.length));
const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The values by which all of them are found. */
export const HOSTILE_TAG = filled('tag-0 ', TEXT, LONGEST_IN.html);
export const hostileUri = (number: number) => filled(`https://hostile.example/${number}/`, URI, 'u');

/** Capabilities that fill the bound, by their number in a component: each kind costs somewhere else. */
const KINDS: readonly ((number: number) => object)[] = [
  (number) => ({
    resourceType: CLASSES,
    shape: many(24, (i) => filled(`https://s.example/${number}/${i}/`, 48, 'c')),
  }),
  (number) => ({
    resourceType: [PERSON],
    // Each variable is named as often as it may be.
    invocation: many(INVOCATIONS, (i) => ({
      type: 'ac:UriTemplateInvocation',
      template: filled(`https://open.example/${number}-${i}/{+x}/{+x}?{y,z}#`, 80, 't'),
      mapping: [{ variable: 'x', property: 'ac:open' }],
    })),
  }),
  (number) => ({
    resourceType: [PERSON],
    invocation: [
      {
        ...{ type: 'ElementInvocation', element: `hostile-${number}` },
        mapping: many(Math.floor((SHARE - 200) / 42), (i) => ({
          ...{ variable: `v${number}-${i}`, property: i === 0 ? 'ac:open' : `no-${i}` },
        })),
      },
    ],
  }),
  (number) => ({
    resourceType: [PERSON],
    invocation: [
      {
        ...{ type: 'FragmentInvocation', module: [] },
        fragment: filled(`<p data-x="${number}">{open}`, SHARE - 300, '<'),
      },
    ],
  }),
];
export const KIND_COUNT = KINDS.length;

/** The component with a number: no two are alike, and every field is as full as it may be. */
export function hostileComponent(number: number): Record<string, unknown> {
  const kind = KINDS[number % KIND_COUNT] ?? (() => ({}));
  const capability: object[] = [];
  for (let i = 0; i < CAPABILITIES; i++) {
    const one = { action: 'odrl:display', ...kind(i) };
    if (JSON.stringify([...capability, one]).length > ALL_CAPABILITIES) break;
    capability.push(one);
  }
  const shapes = many(VALUES, (i) => filled(`https://s.example/${i}/`, TEXT, LONGEST_IN.address));
  return {
    ...{ uri: hostileUri(number), latest: true, capability },
    label: filled(`Hostile ${number} `, TEXT, LONGEST_IN.html),
    description: filled(`All of ${number} `, DESCRIPTION, LONGEST_IN.html),
    version: filled(`1.0.${number}-`, TEXT, 'v'),
    author: many(VALUES, (i) => filled(`${number}-${i} `, TEXT, LONGEST_IN.json)),
    tag: many(VALUES, (i) => filled(`tag-${i} `, TEXT, LONGEST_IN.html)),
    shapes: [...CLASSES, ...shapes].slice(0, VALUES),
  };
}
