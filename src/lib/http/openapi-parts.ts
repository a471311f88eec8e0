import * as z from 'zod';

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

/** Answers with problem documents (RFC 9457), by status; `4XX` stands for what can be wrong with any request. */
export function problems(...statuses: (number | '4XX')[]): Json {
  const content = { 'application/problem+json': { schema: reference('Problem') } };
  return Object.fromEntries(statuses.map((status) => [status, { description: 'Why not', content }]));
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The names and texts of an operation, which clients are generated from. */
export interface OperationTexts {
  /** Unique in the document, and fit for a function's name. */
  readonly id: string;
  /** Of the tags of the document; absent where the group of routes has one. */
  readonly tag?: string;
  readonly summary: string;
  readonly description: string;
}

/** What a method of a path is to programs. */
export interface Operation extends Omit<OperationTexts, 'tag' | 'description'> {
  /** The summary when absent. */
  readonly description?: string;
  readonly parameters?: () => readonly Json[];
  /** The body by media types. */
  readonly takes?: () => Json;
  /** Bodies of good answers by status and media types; undefined where there is none. */
  readonly answers: Readonly<Record<number, Json | undefined>>;
  /** Statuses of problems; `4XX` stands for what can be wrong with any request. */
  readonly refuses: readonly (number | '4XX')[];
  /** The schemes of which one is needed; none when absent. */
  readonly security?: readonly Json[];
}

export function operation({ id, tag, ...more }: OperationTexts & Json): Json {
  return { operationId: id, ...(tag !== undefined && { tags: [tag] }), ...more };
}

export const TEXT: Json = { type: 'string' };

/** The schema of a list. */
export function listOf(items: Json): Json {
  return { type: 'array', items };
}

/** An object of which the document does not say more. */
export function anyObject(description: string): Json {
  return { type: 'object', description, additionalProperties: true };
}

/** A body in JSON, of a request or an answer. */
export function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

export function parameter(
  name: string,
  location: 'path' | 'query' | 'header',
  schema: Json,
  required = location === 'path',
): Json {
  const { description = name, ...bare } = schema;
  return { name, in: location, required, description, schema: bare };
}
