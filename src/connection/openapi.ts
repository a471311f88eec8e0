import {
  type Json,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
  type Tag,
} from '../lib/http/openapi-parts.js';
import { pageSchema } from './http/listing.js';
import { connectionSchema, newConnectionSchema } from './records/connection.js';
import { inviteSchema, newInviteSchema } from './records/invite.js';

/** The paths of the service below its mount point, and the schemas that check their requests. */
export function describeConnectionApi(mount: string): { paths: Json; schemas: Json; tags: readonly Tag[] } {
  const below = Object.entries(PATHS).map(([path, operations]) => [mount + path, operations]);
  return { paths: Object.fromEntries(below), schemas: SCHEMAS, tags: TAGS };
}

const SCHEMAS: Json = {
  NewConnection: schemaOf(newConnectionSchema),
  Connection: schemaOf(connectionSchema),
  NewInvite: schemaOf(newInviteSchema),
  Invite: schemaOf(inviteSchema),
  Exchange: objectOf('uri', 'invite', 'purpose', 'holder', 'source', 'connection', 'accepted'),
  Resource: resourceSchema(),
};

const TAG = 'connection service';
const TAGS: readonly Tag[] = [
  {
    name: TAG,
    description: 'Who is connected to which source, invitations, and what is read through connections',
  },
];

const uri = parameter('uri', 'path', {
  type: 'string',
  description: 'The URI of the record, or of the holder, percent-encoded',
});
const ifMatch = parameter('If-Match', 'header', {
  type: 'string',
  description: 'The entity tag of the record that is to be changed',
});
const page = Object.entries((schemaOf(pageSchema, 'output').properties ?? {}) as Json).map(([name, schema]) =>
  parameter(name, 'query', schema as Json),
);
const holderType = parameter('type', 'query', {
  type: 'string',
  enum: ['connection', 'invite'],
  description: 'What is listed of the holder; connections when absent',
});

const PATHS: Json = {
  '/connection': {
    get: listAll('Connection', 'Connections, newest first'),
    post: secured(
      'createConnection',
      'Make a connection',
      { 201: one('Connection'), ...problems(400, 403, 413, 415, 422) },
      body('NewConnection'),
    ),
  },
  '/connection/{uri}': {
    get: getOne('Connection', 'One connection'),
    put: secured(
      'replaceConnection',
      'Replace a connection',
      { 200: one('Connection'), ...problems(400, 403, 404, 412, 413, 415, 422) },
      { parameters: [uri, ifMatch], ...body('Connection') },
    ),
    delete: secured(
      'deleteConnection',
      'Revoke a connection; what was read through it goes too',
      { 204: { description: 'Gone' }, ...problems(403, 404, 412) },
      { parameters: [uri, ifMatch] },
    ),
  },
  '/holder/{uri}/connections': {
    get: secured(
      'listHolderConnections',
      "A holder's connections, or, with `type=invite`, invites",
      { 200: listOf('Connection'), ...problems(404, 422) },
      { parameters: [uri, holderType, ...page] },
    ),
  },
  '/holder/{uri}/invites': {
    get: secured(
      'listHolderInvites',
      "A holder's invites",
      { 200: listOf('Invite'), ...problems(404, 422) },
      { parameters: [uri, ...page] },
    ),
  },
  '/invite': {
    get: listAll('Invite', 'Invites, newest first'),
    post: secured(
      'createInvite',
      'Invite a holder',
      { 201: one('Invite'), ...problems(400, 403, 409, 413, 415, 422) },
      body('NewInvite'),
    ),
  },
  '/invite/{uri}': {
    get: getOne('Invite', 'One invite'),
    put: secured(
      'replaceInvite',
      'Replace an invite',
      { 200: one('Invite'), ...problems(400, 403, 404, 409, 412, 413, 415, 422) },
      { parameters: [uri, ifMatch], ...body('Invite') },
    ),
  },
  '/invite/{uri}/link': {
    get: secured(
      'getInviteLink',
      'The address of the page on which the holder accepts',
      { 200: json(objectOf('inviteLink')), ...problems(403, 404, 409, 410) },
      { parameters: [uri] },
    ),
  },
  '/exchange/{uri}': { get: getOne('Exchange', 'What an accepted invite has led to') },
  '/resource/refresh': {
    post: secured('refreshResources', 'Read the sources of all connections again', {
      200: listOf('Resource'),
      ...problems(403),
    }),
  },
  '/resource': { get: listAll('Resource', 'What is cached') },
  '/resource/{uri}': { get: getOne('Resource', 'One cached resource') },
};

function listAll(schema: string, summary: string): Json {
  return secured(`list${schema}s`, summary, { 200: listOf(schema) }, { parameters: page });
}

function getOne(schema: string, summary: string): Json {
  return secured(`get${schema}`, summary, { 200: one(schema), ...problems(404) }, { parameters: [uri] });
}

/** Every request needs a token; the scheme is that of the operator's, and JWTs are sent the same way. */
function secured(id: string, summary: string, responses: Json, more: Json = {}): Json {
  const description = `${summary}. Records of other holders answer 404.`;
  return operation({
    id,
    tag: TAG,
    summary,
    description,
    security: [{ operator: [] }],
    ...more,
    responses: { ...responses, ...problems(401, 503, 507) },
  });
}

function body(schema: string): Json {
  return { requestBody: { required: true, content: { 'application/json': { schema: reference(schema) } } } };
}

function one(schema: string): Json {
  return json(reference(schema));
}

function listOf(schema: string): Json {
  return json({ type: 'array', items: reference(schema) });
}

function json(schema: Json): Json {
  return { description: 'The answer', content: { 'application/json': { schema } } };
}

function objectOf(...fields: string[]): Json {
  return {
    type: 'object',
    required: fields,
    properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  };
}

function resourceSchema(): Json {
  const { properties: term } = objectOf('value', 'termType', 'dataType', 'language') as { properties: Json };
  const node = { type: 'object', required: ['value', 'termType'], properties: term };
  const triple = {
    type: 'object',
    properties: { subject: node, predicate: { type: 'string' }, object: node },
  };
  return {
    type: 'object',
    required: ['uri', 'triples'],
    properties: {
      uri: { type: 'string' },
      connection: { type: 'string', description: 'the connection that it was read for' },
      refreshed: { type: ['string', 'null'], description: 'when it was last read, in ms since 1970' },
      stale: { const: true, description: 'the latest attempt to read it has failed' },
      error: { type: 'string', description: 'why it has failed' },
      skipped: { type: 'string', description: 'why a refresh leaves it as it is' },
      triples: { type: 'array', items: triple },
    },
  };
}
