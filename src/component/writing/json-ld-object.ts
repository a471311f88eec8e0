import type { Metadata } from '../metadata.js';
import { componentAddress, type Naming } from '../naming.js';
import { XSD_BOOLEAN } from '../vocabulary.js';
import { fieldValues, holdsIris } from './field-values.js';

/**
 * A component as expanded JSON-LD (JSON-LD 1.1, section 4): text is a value, IRIs are nodes. The type comes first and the
 * identifier second, so that it can be read while it arrives (Streaming JSON-LD, sections 3.2 and 3.3).
 */
export function jsonLdObject(component: Metadata, { baseUrl, vocabulary }: Naming): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@type': [vocabulary.component],
    '@id': componentAddress(baseUrl, component.uri),
  };
  for (const [field, values] of fieldValues(component)) {
    object[vocabulary.predicates[field]] = values.map((value) => {
      if (holdsIris(field)) return { '@id': value };
      return field === 'latest' ? { '@value': value, '@type': XSD_BOOLEAN } : { '@value': value };
    });
  }
  return object;
}
