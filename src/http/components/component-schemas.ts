import { FIELDS, LIST_FIELDS } from '../../component/fields.js';
import { metadataSchema } from '../../component/metadata.js';
import { querySchema } from '../../component/query.js';
import { TRUSTS } from '../../component/source.js';
import { type Json, listOf, object, reference, schemaOf, TEXT } from '../../lib/http/openapi-parts.js';
import { SOURCE_KINDS } from '../openapi.js';

const DESCRIPTION = `The plain names ${FIELDS.join(', ')}; the keys of JSON-LD beside them say the same.`;
const URI = { ...TEXT, format: 'uri' };
const INTEGRITY = { ...TEXT, description: 'Integrity metadata, as in the attribute `integrity` of scripts' };

/**
 * The schemas of components: as they are answered, in the feed, as they are asked for, and as they may be sent, where they may.
 */
export function componentSchemas(isWritable: boolean): Json {
  const { properties = {} } = schemaOf(metadataSchema) as { properties?: Record<string, Json> };
  const named = { type: 'object', required: ['uri', 'label'] };
  // One value may stand instead of a list, and a boolean as text.
  const lists = LIST_FIELDS.map((field) => [field, orAlone(properties[field] as Json)]);
  const latest = { ...properties.latest, type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] };
  return {
    Component: {
      type: 'object',
      required: ['@id', 'uri', 'label'],
      properties: {
        '@id': { ...TEXT, format: 'iri', description: 'the address of the component on this node' },
        ...properties,
        ...SAID_BY_THE_NODE,
      },
      additionalProperties: true,
      description: `${DESCRIPTION} What is absent is not known.`,
    },
    Metadata: {
      ...named,
      properties,
      additionalProperties: false,
      description: 'The plain names alone. What is absent is not known.',
    },
    NewComponent: isWritable
      ? {
          ...named,
          properties: { ...properties, latest, ...Object.fromEntries(lists) },
          description: DESCRIPTION,
        }
      : undefined,
    Query: schemaOf(querySchema),
  };
}

function orAlone({ description, ...list }: Json): Json {
  return { description, anyOf: [list, list.items] };
}

const PIN = object(
  {
    integrity: INTEGRITY,
    changed: INTEGRITY,
    files: {
      ...listOf(object({ uri: URI, integrity: INTEGRITY, changed: INTEGRITY }, ['changed'])),
      description: 'What the module imports, and what that imports in turn, as this node saw it first',
    },
    unpinned: { ...listOf(TEXT), description: 'What it imports that nobody can pin, as it writes it' },
  },
  ['changed', 'files', 'unpinned'],
);

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
  since: { ...TEXT, format: 'date-time', description: 'When this node first saw it said in this form' },
  pin: {
    ...PIN,
    description:
      'The bytes of the module that the description promises, else those that this node saw first for it; `changed`: those that are there instead now',
  },
};

/** What `POST /match` answers. */
export const MATCHES = listOf(
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
);
