import * as z from 'zod';
import { capabilitiesSchema, type DeepReadonly } from './capability.js';
import { FIELDS, type Field } from './fields.js';
import { absoluteIri, integrity, LIMITS, list, text, webAddress } from './values.js';

/** The rules for one component; `description` of a field is what the OpenAPI document says of it. */
export const metadataSchema = z.strictObject({
  uri: webAddress.describe('absolute http(s) URL of the JavaScript module; host applications import it'),
  label: text(LIMITS.text).describe('textual label'),
  description: text(LIMITS.description, 0).optional().describe('textual description'),
  version: text(LIMITS.text, 0).optional().describe('version number of the component'),
  latest: z.boolean('must be true or false').optional().describe('is this the latest of its versions?'),
  integrity: integrity
    .optional()
    .describe(
      "hashes of the module's bytes, as in the attribute `integrity` of scripts; hosts run nothing else",
    ),
  example: webAddress.optional().describe('URL of data that everybody may read, to show the component with'),
  author: list(text(LIMITS.text)).describe('authors of the component'),
  tag: list(text(LIMITS.text)).describe('tags that describe the component'),
  shapes: list(absoluteIri).describe('IRIs of the data shapes that the component renders'),
  capability: capabilitiesSchema
    .optional()
    .describe('what it can do with which resources, and how it is put to work'),
});

/** What a registry stores of one component. Absent single values are absent, and so is an empty list of capabilities. */
export type Metadata = DeepReadonly<z.output<typeof metadataSchema>>;

/** Do two descriptions of a component say the same? */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  return FIELDS.every((field) => sameValue(one[field], other[field]));
}

/** The fields in which two descriptions differ. */
export function differingFields(one: Metadata, other: Metadata): Field[] {
  return FIELDS.filter((field) => !sameValue(one[field], other[field]));
}

/** Lists have one order, and capabilities one canonical form, which is compared as JSON: that of all values would take long. */
function sameValue(one: Metadata[Field], other: Metadata[Field]): boolean {
  if (one === other || typeof one !== 'object' || typeof other !== 'object') return one === other;
  return (
    one.length === other.length &&
    one.every((value, i) =>
      typeof value === 'string' ? value === other[i] : JSON.stringify(value) === JSON.stringify(other[i]),
    )
  );
}
