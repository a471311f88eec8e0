import type * as z from 'zod';
import { FIELDS, LIST_FIELDS, metadataSchema } from '../../component/metadata.js';
import { querySchema } from '../../component/query.js';
import { type Json, parameter, reference, schemaOf } from '../../lib/http/openapi-parts.js';
import { pageSchema } from '../components/selection.js';
import { MOST_HOPS } from '../network/list-scopes.js';
import { COMPONENT_TYPES } from '../representation.js';

/** @param writable are the operations there that components are sent with? */
export function registrySchemas(writable: boolean): Json {
  return {
    Component: componentSchema(),
    Metadata: metadataOnly(),
    NewComponent: writable ? newComponentSchema() : undefined,
    Query: schemaOf(querySchema, 'input'),
    PollReport: POLL_REPORT,
    Problem: PROBLEM,
  };
}

/** How much of the lists of addresses is asked for. */
export const HOPS: Json = parameter('hops', 'query', {
  type: 'integer',
  minimum: 0,
  maximum: MOST_HOPS,
  description:
    'Of `/peers` and `/storage`, only entries with at most so many hops (0: what the operator has configured), and only their changes',
});

const DESCRIPTION = `The plain names ${FIELDS.join(', ')}; the keys of JSON-LD beside them say the same.`;

/** A component as it is answered. */
function componentSchema(): Json {
  const { properties } = schemaOf(metadataSchema, 'input');
  const address = { type: 'string', format: 'iri', description: 'the address of the component on this node' };
  return {
    type: 'object',
    required: ['@id', 'uri', 'label'],
    properties: { '@id': address, ...properties, ...SAID_BY_THE_NODE },
    additionalProperties: true,
    description: `${DESCRIPTION} What is absent is not known.`,
  };
}

/** A component in the feed: what is said of it, and neither where it is on this node nor who says it. */
function metadataOnly(): Json {
  const { properties } = schemaOf(metadataSchema, 'input');
  const description = 'The plain names alone. What is absent is not known.';
  return { type: 'object', required: ['uri', 'label'], properties, additionalProperties: false, description };
}

const INTEGRITY = {
  type: 'string',
  description: 'Integrity metadata, as in the attribute `integrity` of scripts',
};

/** What the node says of a description, and does not take from those who post one. */
const SAID_BY_THE_NODE = {
  source: {
    type: 'object',
    description: 'Who describes it, and how far they are trusted',
    required: ['url', 'document', 'kind', 'trust'],
    properties: {
      url: { type: 'string' },
      document: { type: 'string' },
      kind: { type: 'string', enum: ['local', 'pod', 'peer', 'sample'] },
      trust: { type: 'string', enum: ['own', 'configured', 'learned'] },
    },
  },
  since: {
    type: 'string',
    format: 'date-time',
    description: 'When this node first saw it said in this form',
  },
  pin: {
    type: 'object',
    description:
      'The bytes of the module that the description promises, else those that this node saw first for it; `changed`: those that are there instead now',
    required: ['integrity'],
    properties: {
      integrity: INTEGRITY,
      changed: INTEGRITY,
      files: {
        type: 'array',
        description: 'What the module imports, and what that imports in turn, as this node saw it first',
        items: {
          type: 'object',
          required: ['uri', 'integrity'],
          properties: {
            uri: { type: 'string', format: 'uri' },
            integrity: INTEGRITY,
            changed: INTEGRITY,
          },
        },
      },
      unpinned: {
        type: 'array',
        description: 'What it imports that nobody can pin, as it writes it',
        items: { type: 'string' },
      },
    },
  },
};

/** A component as it may be sent: one value may stand instead of a list, and a boolean as text. */
function newComponentSchema(): Json {
  const { properties } = schemaOf(metadataSchema, 'input') as { properties: Record<string, Json> };
  const lists = LIST_FIELDS.map((field) => [field, orAlone(properties[field] as Json)]);
  const latest = { ...properties.latest, type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] };
  return {
    type: 'object',
    required: ['uri', 'label'],
    properties: { ...properties, latest, ...Object.fromEntries(lists) },
    description: DESCRIPTION,
  };
}

function orAlone({ description, ...list }: Json): Json {
  return { description, anyOf: [list, list.items] };
}

const POLL_REPORT = {
  type: 'object',
  description: 'What one poll of one source came to',
  required: ['url', 'kind', 'ok', 'added', 'changed', 'removed', 'durationMs'],
  properties: {
    url: { type: 'string', format: 'uri' },
    kind: { type: 'string', enum: ['pod', 'peer'] },
    ok: { type: 'boolean' },
    error: { type: 'string' },
    added: { type: 'integer' },
    changed: { type: 'integer' },
    removed: { type: 'integer' },
    unstored: { const: true, description: 'What it found could not be written to disk' },
    held: {
      type: 'object',
      description:
        'It says so much less than before that what it said is still served: components that it had, and has now',
      required: ['from', 'to'],
      properties: { from: { type: 'integer' }, to: { type: 'integer' } },
    },
    repairs: {
      type: 'object',
      description:
        'How often sources of the peer, or all of it, were read anew, because they were not what it has',
      required: ['source', 'whole'],
      properties: { source: { type: 'integer' }, whole: { type: 'integer' } },
    },
    durationMs: { type: 'number' },
  },
};

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

const TEXT = { type: 'string' };
const NODES = { type: 'array', items: { type: 'object', additionalProperties: true } };
const OTHER_SCHEMAS: Readonly<Record<string, Json>> = {
  'application/ld+json': NODES,
  ...Object.fromEntries(
    [
      ...['text/turtle', 'application/n-triples', 'application/n-quads', 'application/trig', 'text/html'],
      'text/event-stream',
    ].map((type) => [type, TEXT]),
  ),
};

export const UNCHANGED = { description: 'The client has it already' };
const STRINGS = { type: 'array', items: { type: 'string' } };

/** What `POST /match` answers. */
export const MATCHES = content(['application/json'], {
  type: 'array',
  items: {
    type: 'object',
    required: ['component', 'invocation', 'score', 'because', 'missing'],
    properties: {
      component: reference('Component'),
      invocation: {
        type: ['object', 'null'],
        description: 'of its capability, the one to use; null: by `entry` and the four events',
      },
      score: { type: 'number', minimum: 0, maximum: 1 },
      because: {
        type: 'array',
        description: 'the weightiest reason first',
        items: { type: 'object', properties: { code: { type: 'string' }, text: { type: 'string' } } },
      },
      missing: {
        type: 'object',
        description: 'classes and properties of the data that it does not declare, as far as that is known',
        properties: { types: STRINGS, predicates: STRINGS },
      },
    },
  },
});

export const LISTING = content(COMPONENT_TYPES, { type: 'array', items: reference('Component') });

export function queryParameters(schema: z.ZodObject): Json[] {
  const { properties = {} } = schemaOf(schema, schema === pageSchema ? 'output' : 'input');
  return Object.entries(properties).map(([name, property]) => parameter(name, 'query', property as Json));
}

export function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** A body in any of the types. The schema is that of the one in JSON; others are text, or JSON-LD. */
export function content(types: readonly string[], schema: Json): { description: string; content: Json } {
  const entries = types.map((type) => [type, { schema: OTHER_SCHEMAS[type] ?? schema }]);
  return { description: 'The answer', content: Object.fromEntries(entries) };
}
