import { FIELDS, type Metadata } from '../../src/component/metadata.js';
import type { Naming } from '../../src/component/naming.js';
import { specificationObject } from '../../src/component/writing/listing-object.js';

/**
 * A component in a JSON listing, as the specification and design, section 4, have it: the keys of the specification,
 * and the same under plain names. Fields without a value are left out.
 */
export function listingObject(component: Metadata, naming: Naming): Record<string, unknown> {
  const plain = FIELDS.map((field) => [field, component[field]] as const).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { ...specificationObject(component, naming), ...Object.fromEntries(plain) };
}
