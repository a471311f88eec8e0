import * as z from 'zod';
import {
  anyObject,
  type Json,
  type OperationTexts,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
} from '../../lib/http/openapi-parts.js';
import { COMPONENT_TYPES } from '../representation.js';
import { content, HOPS, UNCHANGED } from './openapi-schema.js';

function addressOperation(texts: OperationTexts): Json {
  const list = { type: 'array', items: { type: 'string', format: 'uri' } };
  return operation({
    ...texts,
    parameters: [HOPS],
    responses: { 200: content(COMPONENT_TYPES, list), 304: UNCHANGED, ...problems(400, 406, 503) },
  });
}

function plainOperation(texts: OperationTexts, answer: string, ...failures: number[]): Json {
  return operation({
    ...texts,
    responses: { 200: content(['application/json'], anyObject(answer)), ...problems('4XX', ...failures) },
  });
}

function lintOperation(): Json {
  const form = {
    type: 'object',
    properties: {
      url: { type: 'string', format: 'uri', description: 'Of the document; of a text, where it will be' },
      text: { type: 'string', description: 'The document itself: Turtle, JSON-LD, JSON or HTML' },
    },
  };
  return operation({
    id: 'lintDocument',
    tag: 'tools',
    summary: 'Check a metadata document and the modules that it names',
    description: 'Nothing is stored, and no module is run.',
    requestBody: { required: true, ...content(['application/x-www-form-urlencoded'], form) },
    responses: {
      200: content(['application/json', 'text/html'], anyObject('What was found')),
      ...problems(403, 406, 413, 415, 422, 429),
    },
  });
}

function syncOperation(): Json {
  const source = { type: 'string', format: 'uri', description: 'The URL of the one source to poll' };
  const accept = {
    type: 'string',
    enum: ['shrink'],
    description: 'With `source`: it is believed, although it says much less than before',
  };
  const reports = { type: 'array', items: reference('PollReport') };
  return operation({
    id: 'syncNow',
    tag: 'operation',
    summary: 'Poll now, all sources or one',
    description: 'Answers when the polls are over.',
    security: [{ operator: [] }],
    parameters: [parameter('source', 'query', source), parameter('accept', 'query', accept)],
    responses: { 200: content(['application/json'], reports), ...problems(400, 401, 403, 404) },
  });
}

function hintOperation(): Json {
  const topic = { type: 'string', format: 'uri', maxLength: 2048 };
  const body = { type: 'object', required: ['topic'], properties: { topic }, additionalProperties: false };
  return operation({
    id: 'hintAtChange',
    tag: 'network',
    summary: 'Say that a pod or a document has changed',
    description:
      'A node that reads it polls it soon. Whether it does is not told. Once a minute for a topic, 60 times an hour for a client.',
    requestBody: { required: true, ...content(['application/json'], body) },
    responses: { 202: { description: 'Heard' }, ...problems(400, 413, 415, 422) },
  });
}

function whyOperation(): Json {
  const uri = { type: 'string', maxLength: 2048 };
  return operation({
    id: 'askWhy',
    tag: 'components',
    summary: 'Why a component is served as it is, or not at all',
    description:
      'Who describes it, who won by which rule, and what keeps others from being served. `facts`: what the node knows of it by itself.',
    parameters: [{ ...parameter('uri', 'query', uri), required: true }],
    responses: {
      200: content(['application/json', 'text/html'], anyObject('Every source that has to do with it')),
      ...problems(406, 422),
    },
  });
}

/** Peers, pods and the node itself. */
export const NODE_PATHS: Json = {
  '/peers': {
    get: addressOperation({
      id: 'listPeers',
      tag: 'network',
      summary: 'The nodes that this node trusts and synchronises with',
      description: 'RDF says how each is known: over how many hops, and through whom.',
    }),
  },
  '/storage': {
    get: addressOperation({
      id: 'listStorage',
      tag: 'network',
      summary: 'The pods that this node knows',
      description: 'RDF says how each is known: over how many hops, and through whom.',
    }),
  },
  '/health': {
    get: {
      ...plainOperation(
        {
          id: 'getHealth',
          tag: 'operation',
          summary: 'Is the node serving?',
          description:
            '503 while it loads or stops. With `need`, also while that is impossible; else a failing database is named, and stays 200.',
        },
        'The state of the node',
        503,
      ),
      parameters: [parameter('need', 'query', schemaOf(z.enum(['reads', 'writes'])))],
    },
  },
  '/status': {
    get: plainOperation(
      {
        id: 'getStatus',
        tag: 'operation',
        summary: 'The node and each of its sources',
        description: 'What is known of each, since when, what fails, and when the next try is.',
      },
      'The node and its sources',
    ),
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
      responses: { 200: content(['text/plain'], { type: 'string' }), ...problems('4XX') },
    }),
  },
  '/openapi.json': {
    get: plainOperation(
      {
        id: 'getOpenApi',
        tag: 'tools',
        summary: 'This description',
        description: 'Of the node as it is configured, with the other services on it.',
      },
      'An OpenAPI 3.1 document',
    ),
  },
  '/lint': {
    get: operation({
      id: 'getLintForm',
      tag: 'tools',
      summary: 'The form for checks',
      description: 'A page for people.',
      responses: { 200: content(['text/html'], { type: 'string' }), ...problems('4XX') },
    }),
    post: lintOperation(),
  },
  '/host.js': {
    get: operation({
      id: 'getHostLibrary',
      tag: 'tools',
      summary: 'The library for host applications',
      description: 'An ES module without dependencies, for pages of any site.',
      responses: {
        200: content(['text/javascript'], { type: 'string' }),
        304: UNCHANGED,
        ...problems('4XX'),
      },
    }),
  },
  '/': {
    get: operation({
      id: 'getHome',
      tag: 'tools',
      summary: 'A page for people, links for programs',
      description: 'Browsers get the explorer.',
      responses: {
        200: content(['application/json', 'text/html'], anyObject('Links')),
        ...problems(406),
      },
    }),
  },
};
