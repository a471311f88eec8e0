import * as z from 'zod';
import {
  anyObject,
  type Json,
  listOf,
  type OperationTexts,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { hintBody } from '../operations/hint.js';
import { COMPONENT_TYPES } from '../representation.js';
import { content, jsonBody, UNCHANGED } from './openapi-schema.js';

const URL = { ...TEXT, format: 'uri' };

function addressOperation(texts: Omit<OperationTexts, 'tag' | 'description'>): Json {
  return operation({
    ...texts,
    tag: 'network',
    description: 'RDF says how each is known: over how many hops, and through whom.',
    responses: { 200: content(COMPONENT_TYPES, listOf(URL)), 304: UNCHANGED, ...problems(400, 406, 503) },
  });
}

function lintOperation(): Json {
  const properties = {
    url: { ...URL, description: 'Of the document; of a text, where it will be' },
    text: { ...TEXT, description: 'The document itself: Turtle, JSON-LD, JSON or HTML' },
  };
  const schema = { type: 'object', properties };
  return operation({
    id: 'lintDocument',
    tag: 'tools',
    summary: 'Check a metadata document and the modules that it names',
    description: 'Nothing is stored, and no module is run.',
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } },
    responses: {
      200: content(['application/json', 'text/html'], anyObject('What was found')),
      ...problems(403, 406, 413, 415, 422, 429),
    },
  });
}

function syncOperation(): Json {
  const source = { ...URL, description: 'The URL of the one source to poll' };
  const accept = {
    ...TEXT,
    enum: ['shrink'],
    description: 'With `source`: it is believed, although it says much less than before',
  };
  return operation({
    id: 'syncNow',
    tag: 'operation',
    summary: 'Poll now, all sources or one',
    description: 'Answers when the polls are over.',
    security: [{ operator: [] }],
    parameters: [parameter('source', 'query', source), parameter('accept', 'query', accept)],
    responses: {
      200: content(['application/json'], listOf(reference('PollReport'))),
      ...problems(400, 401, 403, 404),
    },
  });
}

function hintOperation(): Json {
  return operation({
    id: 'hintAtChange',
    tag: 'network',
    summary: 'Say that a pod or a document has changed',
    description:
      'A node that reads it polls it soon. Whether it does is not told. Once a minute for a topic, 60 times an hour for a client.',
    requestBody: jsonBody(hintBody),
    responses: { 202: { description: 'Heard' }, ...problems(400, 413, 415, 422) },
  });
}

function whyOperation(): Json {
  return operation({
    id: 'askWhy',
    tag: 'components',
    summary: 'Why a component is served as it is, or not at all; or what became of a document',
    description:
      'Of a component (`uri`): who describes it, who won by which rule, what keeps others from being served, and what the node knows of it by itself (`facts`). Of a document: in which form it was read, since when its descriptions are in the answers, and what was found in it; 404 where no source has it. Of a container in JSON: the documents below it, 200 at most, with what they describe.',
    parameters: [
      parameter('uri', 'query', { ...TEXT, maxLength: 2048 }),
      parameter('document', 'query', { ...TEXT, format: 'uri', maxLength: 2048 }),
    ],
    responses: {
      200: content(['application/json', 'text/html'], anyObject('Every source that has to do with it')),
      ...problems(404, 406, 422),
    },
  });
}

/** Peers, pods and the node itself. */
export const nodePaths = (): Json => ({
  '/peers': {
    get: addressOperation({
      id: 'listPeers',
      summary: 'The nodes that this node trusts and synchronises with',
    }),
  },
  '/storage': { get: addressOperation({ id: 'listStorage', summary: 'The pods that this node knows' }) },
  '/health': {
    get: operation({
      id: 'getHealth',
      tag: 'operation',
      summary: 'Is the node serving?',
      description:
        '503 while it loads or stops. With `need`, also while that is impossible; else a failing database is named, and stays 200.',
      parameters: [parameter('need', 'query', schemaOf(z.enum(['reads', 'writes'])))],
      responses: {
        200: content(['application/json'], anyObject('The state of the node')),
        ...problems('4XX', 503),
      },
    }),
  },
  '/status': {
    get: operation({
      id: 'getStatus',
      tag: 'operation',
      summary: 'The node and each of its sources',
      description: 'What is known of each, since when, what fails, and when the next try is.',
      responses: {
        200: content(['application/json'], anyObject('The node and its sources')),
        ...problems('4XX'),
      },
    }),
  },
  '/sync': { post: syncOperation() },
  '/hint': { post: hintOperation() },
  '/why': { get: whyOperation() },
  '/metrics': {
    get: operation({
      id: 'getMetrics',
      tag: 'operation',
      summary: 'Metrics for Prometheus',
      description: 'In the text format of Prometheus.',
      responses: { 200: content(['text/plain']), ...problems('4XX') },
    }),
  },
  '/openapi.json': {
    get: operation({
      id: 'getOpenApi',
      tag: 'tools',
      summary: 'This description',
      description: 'Of the node as it is configured, with the other services on it.',
      responses: {
        200: content(['application/json'], anyObject('An OpenAPI 3.1 document')),
        ...problems('4XX'),
      },
    }),
  },
  '/publish': {
    get: operation({
      id: 'getPublishPage',
      tag: 'tools',
      summary: 'Where authors publish, and have descriptions checked',
      description: 'A page for people.',
      responses: { 200: content(['text/html']), ...problems('4XX') },
    }),
    post: lintOperation(),
  },
  '/host.js': {
    get: operation({
      id: 'getHostLibrary',
      tag: 'tools',
      summary: 'The library for host applications',
      description: 'An ES module without dependencies, for pages of any site.',
      responses: { 200: content(['text/javascript']), 304: UNCHANGED, ...problems('4XX') },
    }),
  },
  '/': {
    get: operation({
      id: 'getHome',
      tag: 'tools',
      summary: 'A page for people, links for programs',
      description: 'Browsers get the explorer.',
      responses: { 200: content(['application/json', 'text/html'], anyObject('Links')), ...problems(406) },
    }),
  },
});
