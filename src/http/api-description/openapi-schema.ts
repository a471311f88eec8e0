import type { z } from 'zod';
import { FIELDS, LIST_FIELDS, metadataSchema } from '../../component/metadata.js';
import { querySchema } from '../../component/query.js';
import { type Json, reference, schemaOf } from '../../lib/http/openapi-parts.js';
import { COMPONENT_TYPES } from '../components/representation.js';
import { pageSchema } from '../components/selection.js';

export function registrySchemas(): Json {
  return { Component: componentSchema(), Query: schemaOf(querySchema, 'input'), Problem: PROBLEM };
}

/** The schema of metadata, with the variants that a body may have: one value instead of a list, a boolean as text. */
function componentSchema(): Json {
  const { properties } = schemaOf(metadataSchema, 'input') as { properties: Record<string, Json> };
  const lists = LIST_FIELDS.map((field) => [field, orAlone(properties[field] as Json)]);
  const latest = { ...properties.latest, type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] };
  return {
    type: 'object',
    required: ['uri', 'label'],
    properties: { ...properties, latest, ...Object.fromEntries(lists) },
    description: `The plain names ${FIELDS.join(', ')}; the keys of JSON-LD beside them say the same.`,
  };
}

function orAlone({ description, ...list }: Json): Json {
  return { description, anyOf: [list, list.items] };
}

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457',
  required: ['title', 'status', 'detail'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

export const UNCHANGED = { description: 'The client has it already' };
export const LISTING = content(COMPONENT_TYPES, {}, { type: 'array', items: reference('Component') });

export function queryParameters(schema: z.ZodObject): Json[] {
  const { properties = {} } = schemaOf(schema, schema === pageSchema ? 'output' : 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    schema: property,
  }));
}

export function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** A body in any of the types; JSON Schema can only describe the one in JSON. */
export function content(
  types: readonly string[],
  schema: Json,
  jsonSchema: Json = schema,
): { description: string; content: Json } {
  const entries = types.map((type) => [type, { schema: type === 'application/json' ? jsonSchema : schema }]);
  return { description: 'The answer', content: Object.fromEntries(entries) };
}
