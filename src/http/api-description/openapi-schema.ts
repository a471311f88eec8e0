import type * as z from 'zod';
import { FIELDS, LIST_FIELDS } from '../../component/fields.js';
import { metadataSchema } from '../../component/metadata.js';
import { querySchema } from '../../component/query.js';
import { TRUSTS } from '../../component/source.js';
import {
  type Json,
  json,
  listOf,
  NUMBER,
  object,
  parameter,
  reference,
  schemaOf,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { pageSchema } from '../components/selection.js';
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

/** Kinds of sources that change while a node runs. */
export const SOURCE_KINDS = ['local', 'pod', 'peer'] as const;

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

const INTEGRITY = { ...TEXT, description: 'Integrity metadata, as in the attribute `integrity` of scripts' };
const FILE = object({ uri: { ...TEXT, format: 'uri' }, integrity: INTEGRITY, changed: INTEGRITY }, [
  'changed',
]);

/** What the node says of a description, and does not take from those who post one. */
const SAID_BY_THE_NODE = {
  source: {
    ...object({
      url: TEXT,
      document: TEXT,
      kind: { ...TEXT, enum: [...SOURCE_KINDS, 'sample'] },
      trust: { ...TEXT, enum: [...TRUSTS] },
    }),
    description: 'Who describes it, and how far they are trusted',
  },
  since: {
    type: 'string',
    format: 'date-time',
    description: 'When this node first saw it said in this form',
  },
  pin: {
    ...object(
      {
        integrity: INTEGRITY,
        changed: INTEGRITY,
        files: {
          ...listOf(FILE),
          description: 'What the module imports, and what that imports in turn, as this node saw it first',
        },
        unpinned: {
          ...listOf(TEXT),
          description: 'What it imports that nobody can pin, as it writes it',
        },
      },
      ['changed', 'files', 'unpinned'],
    ),
    description:
      'The bytes of the module that the description promises, else those that this node saw first for it; `changed`: those that are there instead now',
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

const NAMES = listOf(object({ uri: { ...TEXT, format: 'uri' }, label: TEXT }));

const POLL_REPORT = {
  ...object(
    {
      url: { ...TEXT, format: 'uri' },
      kind: { ...TEXT, enum: ['pod', 'peer'] },
      ok: { type: 'boolean' },
      error: TEXT,
      added: NUMBER,
      changed: NUMBER,
      removed: NUMBER,
      examples: {
        ...object({ added: NAMES, changed: NAMES, removed: NAMES }),
        description: 'The first few of these components',
      },
      unstored: { const: true, description: 'What it found could not be written to disk' },
      held: {
        ...object({ from: NUMBER, to: NUMBER }),
        description:
          'It says so much less than before that what it said is still served: components that it had, and has now',
      },
      repairs: { ...NUMBER, description: '1 when all of the peer is read anew next time' },
      durationMs: { type: 'number' },
    },
    ['error', 'unstored', 'held', 'repairs'],
  ),
  description: 'What one poll of one source came to',
};

const PROBLEM = {
  ...object(
    {
      title: TEXT,
      status: NUMBER,
      detail: TEXT,
      errors: listOf(object({ pointer: TEXT, detail: TEXT })),
    },
    ['errors'],
  ),
  description: 'RFC 9457',
};

export const UNCHANGED = { description: 'The client has it already' };

/** What `POST /match` answers. */
export const MATCHES = content(
  ['application/json'],
  listOf(
    object({
      component: reference('Component'),
      invocation: {
        type: ['object', 'null'],
        description: 'of its capability, the one to use; null: by `entry` and the four events',
      },
      score: { type: 'number', minimum: 0, maximum: 1 },
      because: {
        ...listOf({ type: 'object', properties: { code: TEXT, text: TEXT } }),
        description: 'the weightiest reason first',
      },
      missing: {
        type: 'object',
        description: 'classes and properties of the data that it does not declare, as far as that is known',
        properties: { types: listOf(TEXT), predicates: listOf(TEXT) },
      },
    }),
  ),
);

export const LISTING = content(COMPONENT_TYPES, listOf(reference('Component')));

export function queryParameters(schema: z.ZodObject): Json[] {
  const { properties = {} } = schemaOf(schema, schema === pageSchema ? 'output' : 'input');
  return Object.entries(properties).map(([name, property]) => parameter(name, 'query', property as Json));
}

/** An answer in any of the types. `schema`: of that in JSON. */
export function content(types: readonly string[], schema: Json = TEXT) {
  const others: Readonly<Record<string, Json>> = {
    'application/json': schema,
    'application/ld+json': listOf({ type: 'object', additionalProperties: true }),
  };
  const entries = types.map((type) => [type, { schema: others[type] ?? TEXT }]);
  return { description: 'The answer', content: Object.fromEntries(entries) as Json };
}

/** A body of a request, as the schema that checks it says. */
export function jsonBody(schema: z.ZodType): Json {
  return { required: true, content: json(schemaOf(schema)) };
}
