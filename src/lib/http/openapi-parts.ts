import * as z from 'zod';
import { grouped } from '../grouped.js';
import type { Method } from './resource.js';

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

/** What a method of a path is to programs, and what clients are generated from. */
export interface Described {
  readonly method: Method;
  /** `*` at the end stands for a URI. */
  readonly path: string;
  /** Unique in the document, and fit for a function's name. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: () => readonly Json[];
  /** The body by media types. */
  readonly takes?: () => Json;
  /** Bodies of good answers by status and media types; undefined where there is none. */
  readonly answers: Readonly<Record<number, Json | undefined>>;
  /** Statuses of problems, beside 400 for a request that cannot be read. */
  readonly refuses: readonly number[];
  /** The schemes of which one is needed; none when absent. */
  readonly security?: readonly Json[];
}

/** A group of operations, and the schemas that their descriptions refer to. */
export interface Feature<R extends Described = Described> {
  readonly tag: { readonly name: string; readonly description: string };
  readonly routes: readonly R[];
  readonly schemas?: () => Json;
}

/** A part of a document. */
export interface OpenApiPart {
  readonly paths: Json;
  readonly schemas?: Json | undefined;
  readonly tags?: readonly Feature['tag'][];
}

export function describeFeature({ tag, routes, schemas }: Feature): OpenApiPart {
  const paths = [...grouped(routes, ({ path }) => path)].map(([path, own]) => {
    const operations = own.map((one) => [one.method.toLowerCase(), describe(one, tag.name)]);
    return [path.replace(/\*$/, '{uri}'), Object.fromEntries(operations)];
  });
  return { paths: Object.fromEntries(paths), schemas: schemas?.(), tags: [tag] };
}

/** An answer with a problem document (RFC 9457). */
const PROBLEM: Json = {
  description: 'Why not',
  content: { 'application/problem+json': { schema: reference('Problem') } },
};

const STATUSES: Readonly<Record<string, string>> = {
  200: 'The answer',
  201: 'What was saved',
  202: 'Heard',
  204: 'It has taken effect',
  304: 'The client has it already',
};

function describe(
  { id, summary, description = `${summary}.`, security, parameters, takes, answers, refuses }: Described,
  tag: string,
): Json {
  const good = Object.entries(answers).map(([status, content]) => [
    status,
    { description: STATUSES[status], ...(content && { content }) },
  ]);
  return {
    ...{ operationId: id, tags: [tag], summary, description, security, parameters: parameters?.() },
    ...(takes && { requestBody: { required: true, content: takes() } }),
    responses: Object.fromEntries([...good, ...[400, ...refuses].map((status) => [status, PROBLEM])]),
  };
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
