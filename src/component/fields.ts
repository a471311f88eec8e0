/** The fields of metadata but `capability`, in the order in which answers have them: what their values are. */
const SINGLE = {
  uri: 'iri',
  label: 'text',
  description: 'text',
  version: 'text',
  latest: 'boolean',
  integrity: 'text',
  example: 'iri',
} as const;
/** Those that may have several values. */
const LISTS = { author: 'text', tag: 'text', shapes: 'iri' } as const;

type SingleField = keyof typeof SINGLE;
export type ListField = keyof typeof LISTS;
/** A field whose values are texts, IRIs, or a boolean. */
export type PlainField = SingleField | ListField;
export type Field = PlainField | 'capability';

export const VALUES: Readonly<Record<PlainField, 'iri' | 'text' | 'boolean'>> = { ...SINGLE, ...LISTS };
export const SINGLE_FIELDS = Object.keys(SINGLE) as readonly SingleField[];
export const LIST_FIELDS = Object.keys(LISTS) as readonly ListField[];
export const PLAIN_FIELDS: readonly PlainField[] = [...SINGLE_FIELDS, ...LIST_FIELDS];
export const FIELDS: readonly Field[] = [...PLAIN_FIELDS, 'capability'];

/** Fields by a name that documents give them; existing pods and programs write `shape`, too. */
export function fieldsByName<T extends string>(nameOf: (name: string) => T): ReadonlyMap<T, PlainField> {
  return new Map([
    ...PLAIN_FIELDS.map((field): [T, PlainField] => [nameOf(field), field]),
    [nameOf('shape'), 'shapes'],
  ]);
}
