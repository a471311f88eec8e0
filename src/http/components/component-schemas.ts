import { FIELDS, LIST_FIELDS } from '../../component/fields.js';
import { metadataSchema } from '../../component/metadata.js';
import { querySchema } from '../../component/query.js';
import { anyObject, type Json, schemaOf, TEXT } from '../../lib/http/openapi-parts.js';

const DESCRIPTION = `The plain names ${FIELDS.join(', ')}; the keys of JSON-LD beside them say the same.`;

/** The schemas of components: as they are answered, as they are asked for, and as they may be sent, where they may. */
export function componentSchemas(isWritable: boolean): Json {
  const { properties = {} } = schemaOf(metadataSchema) as { properties?: Record<string, Json> };
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
    NewComponent: isWritable
      ? {
          type: 'object',
          required: ['uri', 'label'],
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

/** What the node says of a description, and does not take from those who post one. */
const SAID_BY_THE_NODE = {
  source: anyObject('Who describes it (`url`, `document`, `kind`), and how far they are trusted (`trust`)'),
  since: { ...TEXT, format: 'date-time', description: 'When this node first saw it said in this form' },
  pin: anyObject(
    'The bytes of the module that the description promises, else those that this node saw first for it ' +
      '(`integrity`), and those that are there instead now (`changed`)',
  ),
};
