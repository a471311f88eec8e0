import * as z from 'zod';
import { type Metadata, metadataSchema } from '../component/metadata.js';
import { jsonValue } from '../lib/json-value.js';
import { nearest } from '../lib/nearest.js';
import { COMPONENT_JSON } from './component-json-name.js';

/** What an author says of a custom element beside package.json. What is absent there is taken from the package. */
const entry = z
  .strictObject({
    ...metadataSchema.partial().shape,
    $schema: z.string().optional().describe('where editors find what may be said here'),
    element: z.string().optional().describe('which element of the package is meant, when it has several'),
    shapes: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('what it renders: IRIs of classes or shapes, or names with a usual prefix, as foaf:Person'),
  })
  .describe('A custom element of the package beside this file, for the command publish.');
const schema = z.union([entry, z.array(entry).min(1).describe('one for each element of the package')]);

export type ComponentJson = z.infer<typeof entry>;

/** What component.json says, one entry for each element. @throws Error that says what is wrong with it */
export function readComponentJson(text: string): ComponentJson[] {
  const json = jsonValue(text);
  if (json === undefined) throw new Error(`${COMPONENT_JSON} is not JSON`);
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (entries.length === 0) throw new Error(`${COMPONENT_JSON} describes nothing`);
  return entries.map((one) => {
    const read = entry.safeParse(one);
    if (read.success) return read.data;
    throw new Error(`${COMPONENT_JSON}: ${read.error.issues.map(faultOf).join(', ')}`);
  });
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return `${issue.path.join('.') || 'it'} ${issue.message}`;
  const known = Object.keys(entry.shape);
  return issue.keys
    .map((key) => {
      const near = nearest(key, known);
      return `${key} is none of its keys${near ? `, did you mean ${near}?` : ` (there are ${known.join(', ')})`}`;
    })
    .join(', ');
}

/** The fields of a description that an entry says itself. */
export function saidFields({
  $schema: _schema,
  element: _element,
  ...fields
}: ComponentJson): Partial<Metadata> {
  return fields as Partial<Metadata>;
}

/** For editors (JSON Schema 2020-12). */
export function componentJsonSchema(): object {
  return { title: COMPONENT_JSON, ...z.toJSONSchema(schema, { io: 'input' }) };
}
