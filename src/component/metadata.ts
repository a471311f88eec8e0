import * as z from 'zod';
import { isAbsoluteIri } from '../lib/iri.js';
import { capabilitiesSchema, type DeepReadonly } from './capability.js';
import { parseIntegrity } from './integrity.js';
import { isModuleUrl, LIMITS, list, text } from './values.js';

const webAddress = text(LIMITS.uri).refine(
  isModuleUrl,
  'must be an absolute http or https URL without spaces, user name or password',
);

/** The rules for one component; `description` of a field is what the OpenAPI document says of it. */
export const metadataSchema = z.strictObject({
  uri: webAddress.describe('absolute http(s) URL of the JavaScript module; host applications import it'),
  label: text(LIMITS.text).describe('textual label'),
  description: text(LIMITS.description, 0).optional().describe('textual description'),
  version: text(LIMITS.text, 0).optional().describe('version number of the component'),
  latest: z.boolean('must be true or false').optional().describe('is this the latest of its versions?'),
  integrity: text(LIMITS.text)
    .refine(
      isIntegrity,
      'must be sha256-, sha384- or sha512- with a digest in base64, or several with spaces between them',
    )
    .optional()
    .describe(
      "hashes of the module's bytes, as in the attribute `integrity` of scripts; hosts run nothing else",
    ),
  example: webAddress.optional().describe('URL of data that everybody may read, to show the component with'),
  image: webAddress.optional().describe('URL of a picture of the component, for those who show one'),
  author: list(text(LIMITS.text)).describe('authors of the component'),
  tag: list(text(LIMITS.text)).describe('tags that describe the component'),
  shapes: list(text(LIMITS.text).refine(isAbsoluteIri, 'must be an absolute IRI')).describe(
    'IRIs of the data shapes that the component renders',
  ),
  capability: capabilitiesSchema
    .optional()
    .describe('what it can do with which resources, and how it is put to work'),
});

/** What a registry stores of one component. Absent single values are absent, and so is an empty list of capabilities. */
export type Metadata = DeepReadonly<z.output<typeof metadataSchema>>;

export type Field = keyof Metadata;
export type ListField = 'author' | 'tag' | 'shapes';
/** A field whose values are texts, or a boolean. */
export type PlainField = Exclude<Field, 'capability'>;

export const SINGLE_FIELDS = [
  ...(['uri', 'label', 'description', 'version', 'latest', 'integrity'] as const),
  ...(['example', 'image'] as const),
] as const;
export const LIST_FIELDS = ['author', 'tag', 'shapes'] as const satisfies readonly ListField[];
/** Those whose values are IRIs; the others are text, but for the boolean `latest`. */
export const IRI_FIELDS: readonly PlainField[] = ['uri', 'shapes', 'example', 'image'];
export const PLAIN_FIELDS: readonly PlainField[] = [...SINGLE_FIELDS, ...LIST_FIELDS];
export const FIELDS: readonly Field[] = [...PLAIN_FIELDS, 'capability'];

/** Do two descriptions of a component say the same? */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  return (
    SINGLE_FIELDS.every((field) => one[field] === other[field]) &&
    LIST_FIELDS.every((field) => sameList(one[field], other[field])) &&
    JSON.stringify(one.capability) === JSON.stringify(other.capability)
  );
}

/** The fields in which two descriptions differ. */
export function differingFields(one: Metadata, other: Metadata): Field[] {
  return FIELDS.filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]));
}

function isIntegrity(value: string): boolean {
  return parseIntegrity(value) !== undefined;
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}
