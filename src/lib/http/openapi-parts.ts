import { z } from 'zod';

/** A piece of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** The JSON Schema of what zod reads (`input`) or makes of it (`output`). */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): { properties?: Json } & Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest as { properties?: Json } & Json;
}

/** Names a schema of the document. */
export function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Answers with problem documents (RFC 9457), by status. */
export function problems(...statuses: number[]): Json {
  const content = { 'application/problem+json': { schema: reference('Problem') } };
  return Object.fromEntries(statuses.map((status) => [status, { description: 'Why not', content }]));
}
