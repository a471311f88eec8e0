import * as z from 'zod';

/** What a schema of an OpenAPI document accepts, formats included. `schemas`: those that it may refer to. */
export function schemaFor(schema: object, schemas: Readonly<Record<string, object>>): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}
