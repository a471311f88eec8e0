import { FIELDS, type Field, LIST_FIELDS, PLAIN_FIELDS } from '../../src/component/fields.js';
import type { Metadata } from '../../src/component/metadata.js';
import { componentAddress, type Naming } from '../../src/component/naming.js';
import { XSD_BOOLEAN } from '../../src/component/vocabulary.js';

/**
 * A component in a JSON listing, as the specification and design, section 4, have it: the keys of the specification,
 * and the same under plain names. Fields without a value are left out.
 */
export function listingObject(component: Metadata, naming: Naming): Record<string, unknown> {
  const plain = ORDER.map((field) => [field, component[field]] as const).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { ...specificationObject(component, naming), ...Object.fromEntries(plain) };
}

/** Facets come last. */
const FACETS: readonly Field[] = ['version', 'latest', ...LIST_FIELDS];
const ORDER = [...FIELDS.filter((field) => !FACETS.includes(field)), ...FACETS];

/** A component in a JSON listing under the keys of the specification, where even text stands under `@id`. */
function specificationObject(component: Metadata, { baseUrl, vocabulary }: Naming): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@id': componentAddress(baseUrl, component.uri),
    '@type': [vocabulary.component],
  };
  for (const field of PLAIN_FIELDS) {
    const values = [component[field] ?? []].flat();
    if (values.length === 0) continue;
    object[vocabulary.predicates[field]] = values.map((value) =>
      field === 'latest' ? { '@value': String(value), '@type': XSD_BOOLEAN } : { '@id': value },
    );
  }
  return object;
}
