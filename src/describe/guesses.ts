/** What an attribute of an element is for, in the words of `capability` (design, section 16). */
interface Mapping {
  readonly variable: string;
  readonly property: 'ac:open' | 'data' | 'shapes' | 'shapesUrl' | 'subject' | 'shapeSubject';
}

/** By meaning, the names that authors give to such attributes, the clearest first. */
const NAMES: readonly (readonly [Mapping['property'], readonly string[]])[] = [
  ['data', ['data-values', 'rdf', 'turtle', 'graph', 'data', 'value']],
  [
    'ac:open',
    ['entry', 'data-values-url', 'data-url', 'uri', 'url', 'src', 'source', 'resource', 'href', 'webid'],
  ],
  ['shapes', ['data-shapes', 'shapes', 'shape']],
  ['shapesUrl', ['data-shapes-url', 'shapes-url', 'shape-url']],
  ['subject', ['data-values-subject', 'subject']],
  ['shapeSubject', ['data-shape-subject', 'shape-subject']],
];

/** Events by which elements usually say that their user is done. */
const DONE = ['submit', 'save', 'saved'];

export interface Guess {
  readonly mapping: readonly Mapping[];
  readonly write?: { readonly event: string; readonly method: string };
}

/**
 * Guesses which attributes of an element take data. Where the host can hand over the data itself, the element need not read
 * by an address: data behind a sign-in can be shown then.
 */
export function guessed({ attributes, events, methods }: FoundElement): Guess {
  const found = NAMES.flatMap(([property, names]): Mapping[] => {
    const variable = names.find((name) => attributes.includes(name));
    return variable === undefined ? [] : [{ variable, property }];
  });
  const has = (property: Mapping['property']) => found.some((one) => one.property === property);
  const needless: Mapping['property'][] = [
    ...(has('data') ? (['ac:open'] as const) : (['subject'] as const)),
    ...(has('shapes') ? (['shapesUrl'] as const) : []),
  ];
  const event = DONE.find((name) => events.includes(name));
  const method = ['serialize', 'toRDF', 'getData'].find((name) => methods.includes(name));
  return {
    mapping: found.filter(({ property }) => !needless.includes(property)),
    ...(event !== undefined && method !== undefined && has('data') ? { write: { event, method } } : {}),
  };
}

/** A custom element of a package, as its manifest tells of it. */
export interface FoundElement {
  readonly name: string;
  readonly description?: string | undefined;
  /** Names of attributes; properties that have none are named as they are. */
  readonly attributes: readonly string[];
  readonly events: readonly string[];
  readonly methods: readonly string[];
}
