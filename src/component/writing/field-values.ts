import { type Metadata, PLAIN_FIELDS, type PlainField } from '../metadata.js';

/** Are the values of a field IRIs? Those of the others are text, but for the boolean `latest`. */
export function holdsIris(field: PlainField): boolean {
  return field === 'uri' || field === 'shapes';
}

/** The plain fields that have values, each with its values as text, in the order of `PLAIN_FIELDS`. */
export function* fieldValues(component: Metadata): Generator<[PlainField, readonly string[]]> {
  for (const field of PLAIN_FIELDS) {
    const value = component[field];
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue;
    yield [field, typeof value === 'object' ? value : [String(value)]];
  }
}
