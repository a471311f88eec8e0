import {
  type Json,
  json,
  listOf,
  object,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
  type Tag,
  TEXT,
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
  Exchange: textsOf('uri', 'invite', 'purpose', 'holder', 'source', 'connection', 'accepted'),
  Resource: resourceSchema(),
};

const TAG = 'connection service';
const TAGS: readonly Tag[] = [
  {
    name: TAG,
    description: 'Who is connected to which source, invitations, and what is read through connections',
  },
];

const URI = { ...TEXT, description: 'The URI of the record, or of the holder, percent-encoded' };
const uri = parameter('uri', 'path', URI);
const TAG_OF_RECORD = { ...TEXT, description: 'The entity tag of the record that is to be changed' };
const ifMatch = parameter('If-Match', 'header', TAG_OF_RECORD);
const page = Object.entries((schemaOf(pageSchema, 'output').properties ?? {}) as Json).map(([name, schema]) =>
  parameter(name, 'query', schema as Json),
);
const holderType = parameter('type', 'query', {
  ...TEXT,
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
      { 200: allOf('Connection'), ...problems(404, 422) },
      { parameters: [uri, holderType, ...page] },
    ),
  },
  '/holder/{uri}/invites': {
    get: secured(
      'listHolderInvites',
      "A holder's invites",
      { 200: allOf('Invite'), ...problems(404, 422) },
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
      { 200: answer(textsOf('inviteLink')), ...problems(403, 404, 409, 410) },
      { parameters: [uri] },
    ),
  },
  '/exchange/{uri}': { get: getOne('Exchange', 'What an accepted invite has led to') },
  '/resource/refresh': {
    post: secured('refreshResources', 'Read the sources of all connections again', {
      200: allOf('Resource'),
      ...problems(403),
    }),
  },
  '/resource': { get: listAll('Resource', 'What is cached') },
  '/resource/{uri}': { get: getOne('Resource', 'One cached resource') },
};

function listAll(schema: string, summary: string): Json {
  return secured(`list${schema}s`, summary, { 200: allOf(schema) }, { parameters: page });
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
  return { requestBody: { required: true, content: json(reference(schema)) } };
}

function one(schema: string): Json {
  return answer(reference(schema));
}

function allOf(schema: string): Json {
  return answer(listOf(reference(schema)));
}

function answer(schema: Json): Json {
  return { description: 'The answer', content: json(schema) };
}

function textsOf(...fields: string[]): Json {
  return object(Object.fromEntries(fields.map((name) => [name, TEXT])));
}

function resourceSchema(): Json {
  const [value, termType] = [TEXT, TEXT];
  const node = object({ value, termType, dataType: TEXT, language: TEXT }, ['dataType', 'language']);
  const triple = { type: 'object', properties: { subject: node, predicate: TEXT, object: node } };
  return object(
    {
      uri: TEXT,
      connection: { ...TEXT, description: 'the connection that it was read for' },
      refreshed: { type: ['string', 'null'], description: 'when it was last read, in ms since 1970' },
      stale: { const: true, description: 'the latest attempt to read it has failed' },
      error: { ...TEXT, description: 'why it has failed' },
      skipped: { ...TEXT, description: 'why a refresh leaves it as it is' },
      triples: listOf(triple),
    },
    ['connection', 'refreshed', 'stale', 'error', 'skipped'],
  );
}
