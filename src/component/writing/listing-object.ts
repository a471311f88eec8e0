import type { Metadata } from '../metadata.js';
import { componentAddress, type Naming } from '../naming.js';
import { XSD_BOOLEAN } from '../vocabulary.js';
import { fieldValues } from './field-values.js';

/** A component in a JSON listing under the keys of the specification, where even text stands under `@id`. */
export function specificationObject(
  component: Metadata,
  { baseUrl, vocabulary }: Naming,
): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@id': componentAddress(baseUrl, component.uri),
    '@type': [vocabulary.component],
  };
  for (const [field, values] of fieldValues(component)) {
    object[vocabulary.predicates[field]] = values.map((value) =>
      field === 'latest' ? { '@value': value, '@type': XSD_BOOLEAN } : { '@id': value },
    );
  }
  return object;
}
