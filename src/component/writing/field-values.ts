import { FIELDS, type Field, type Metadata } from '../metadata.js';

/** Are the values of a field IRIs? Those of the others are text, but for the boolean `latest`. */
export function holdsIris(field: Field): boolean {
  return field === 'uri' || field === 'shapes';
}

/** The fields that have values, each with its values as text, in the order of `FIELDS`. */
export function* fieldValues(component: Metadata): Generator<[Field, readonly string[]]> {
  for (const field of FIELDS) {
    const value = component[field];
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue;
    yield [field, typeof value === 'object' ? value : [String(value)]];
  }
}
