import type { FoundElement } from './manifests.js';

/** What an attribute of an element is for, in the words of `capability` (design, section 16). */
export interface Mapping {
  readonly variable: string;
  readonly property: (typeof NAMES)[number][0];
}

/** By meaning, the names that authors give to such attributes, the clearest first. */
const NAMES = [
  ['data', ['data-values', 'rdf', 'turtle', 'graph', 'data', 'value']],
  [
    'ac:open',
    ['entry', 'data-values-url', 'data-url', 'uri', 'url', 'src', 'source', 'resource', 'href', 'webid'],
  ],
  ['shapes', ['data-shapes', 'shapes', 'shape']],
  ['shapesUrl', ['data-shapes-url', 'shapes-url', 'shape-url']],
  ['subject', ['data-values-subject', 'subject']],
  ['shapeSubject', ['data-shape-subject', 'shape-subject']],
] as const;

/**
 * Guesses which attributes of an element take data. Where the host can hand over the data itself, the element need not read
 * by an address: data behind a sign-in can be shown then.
 */
export function guessedMapping({ attributes }: FoundElement): readonly Mapping[] {
  const found = NAMES.flatMap(([property, names]): Mapping[] => {
    const variable = names.find((name) => attributes.includes(name));
    return variable === undefined ? [] : [{ variable, property }];
  });
  const has = (property: Mapping['property']) => found.some((one) => one.property === property);
  const needless = [has('data') ? 'ac:open' : 'subject', has('shapes') ? 'shapesUrl' : undefined];
  return found.filter(({ property }) => !needless.includes(property));
}
