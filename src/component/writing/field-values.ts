import { type Metadata, PLAIN_FIELDS, type PlainField } from '../metadata.js';

const IRI_FIELDS: readonly PlainField[] = ['uri', 'shapes', 'example', 'image'];

/** Are the values of a field IRIs? Those of the others are text, but for the boolean `latest`. */
export function holdsIris(field: PlainField): boolean {
  return IRI_FIELDS.includes(field);
}

/** The plain fields that have values, each with its values as text, in the order of `PLAIN_FIELDS`. */
export function* fieldValues(component: Metadata): Generator<[PlainField, readonly string[]]> {
  for (const field of PLAIN_FIELDS) {
    const value = component[field];
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue;
    yield [field, typeof value === 'object' ? value : [String(value)]];
  }
}
