import * as z from 'zod';
import type { Clock } from '../../lib/clock.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import {
  anyObject,
  type Json,
  listOf,
  NUMBER,
  object,
  operation,
  parameter,
  problems,
  reference,
  schemaOf,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import type { Pins } from '../../registry/pins.js';
import type { OperatorParts } from '../access/operator.js';
import { content, type Feature, FOR_OPERATOR, jsonBody } from '../openapi.js';
import type { Commands } from './commands.js';
import { decideAddress, decisionBody } from './discovery.js';
import { hintBody, takeHint } from './hint.js';
import { getMetrics, type Metrics } from './metrics.js';
import { deletePins } from './pins.js';
import { rehearsalBody, rehearseNow } from './rehearse.js';
import { getHealth, getStatus, type StatusParts } from './status.js';
import { syncNow } from './sync.js';

export interface OperationParts extends Omit<StatusParts, 'started'>, OperatorParts {
  readonly metrics: Metrics;
  readonly commands: Commands;
  readonly pins: Pins;
  readonly clock: Clock;
}

/** How the node is, and what its operator has it do. */
export function operationFeature(parts: OperationParts): Feature {
  const { commands, reports, clock, config, metrics, pins, operatorToken } = parts;
  const { baseUrl } = config;
  return {
    tag: { name: 'operation', description: 'How the node is, for its operator' },
    schemas: () => ({ PollReport: POLL_REPORT }),
    resources: [
      {
        path: '/health',
        cors: ANY_ORIGIN,
        methods: { GET: getHealth(reports) },
        operations: { GET: describeHealth },
      },
      {
        path: '/status',
        cors: ANY_ORIGIN,
        methods: { GET: getStatus({ ...parts, started: clock.now() }) },
        operations: { GET: describeStatus },
      },
      { path: '/metrics', methods: { GET: getMetrics(metrics) }, operations: { GET: describeMetrics } },
      {
        path: '/sync',
        methods: { POST: syncNow(commands.sync, parts) },
        operations: { POST: describeSync },
      },
      {
        path: '/discovery',
        methods: { POST: decideAddress(commands.decide, parts) },
        operations: { POST: describeDiscovery },
      },
      { path: '/pins', methods: { DELETE: deletePins(pins, parts) }, operations: { DELETE: describePins } },
      {
        path: '/rehearse',
        methods: { POST: rehearseNow(commands.rehearse, operatorToken) },
        operations: { POST: describeRehearsal },
      },
      {
        path: '/hint',
        cors: ANY_ORIGIN,
        methods: { POST: takeHint({ hint: commands.hint, clock, baseUrl }) },
        operations: { POST: describeHint },
      },
    ],
  };
}

const JSON_ALONE = ['application/json'];
const URI = { ...TEXT, format: 'uri' };

const describeHealth = () =>
  operation({
    id: 'getHealth',
    summary: 'Is the node serving?',
    description:
      '503 while it loads or stops. With `need`, also while that is impossible; else a failing database is named, and stays 200.',
    parameters: [parameter('need', 'query', schemaOf(z.enum(['reads', 'writes'])))],
    responses: { 200: content(JSON_ALONE, anyObject('The state of the node')), ...problems('4XX', 503) },
  });

const describeStatus = () =>
  operation({
    id: 'getStatus',
    summary: 'The node and each of its sources',
    description: 'What is known of each, since when, what fails, and when the next try is.',
    responses: { 200: content(JSON_ALONE, anyObject('The node and its sources')), ...problems('4XX') },
  });

const describeMetrics = () =>
  operation({
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description: 'In the text format of Prometheus.',
    responses: { 200: content(['text/plain']), ...problems('4XX') },
  });

const describeSync = () =>
  operation({
    id: 'syncNow',
    summary: 'Poll now, all sources or one',
    description: 'Answers when the polls are over.',
    ...FOR_OPERATOR,
    parameters: [
      parameter('source', 'query', { ...URI, description: 'The URL of the one source to poll' }),
      parameter('accept', 'query', {
        ...TEXT,
        enum: ['shrink'],
        description: 'With `source`: it is believed, although it says much less than before',
      }),
    ],
    responses: {
      200: content(JSON_ALONE, listOf(reference('PollReport'))),
      ...problems(400, 401, 403, 404),
    },
  });

const describeDiscovery = () =>
  operation({
    id: 'decideAddress',
    summary: 'Decide whether an address that peers told of may be read',
    description: 'What was learned and is rejected is forgotten with all that it brought.',
    ...FOR_OPERATOR,
    requestBody: jsonBody(decisionBody),
    responses: { 204: { description: 'It has taken effect' }, ...problems(400, 401, 403, 413, 415, 422) },
  });

const describePins = () =>
  operation({
    id: 'forgetPins',
    summary: 'Forget which bytes were seen of a module',
    description: 'What is there at the next look counts as the first bytes then.',
    ...FOR_OPERATOR,
    parameters: [
      parameter('uri', 'query', { ...URI, maxLength: 2048 }, true),
      parameter('version', 'query', {
        ...TEXT,
        description: 'Of this version alone; of all when absent',
      }),
    ],
    responses: { 204: { description: 'Forgotten' }, ...problems(400, 401, 403, 404) },
  });

const describeRehearsal = () =>
  operation({
    id: 'rehearseTrust',
    summary: 'What trusting a pod or a node would lead to',
    description:
      'Reads it once into memory, within the limits of this node, and says what it would add, change, hide and be refused, and whom it would introduce. Nothing changes. `error` says why it could not be read; 409: another rehearsal is under way.',
    ...FOR_OPERATOR,
    requestBody: jsonBody(rehearsalBody),
    responses: {
      200: content(['application/json', 'text/plain'], anyObject('Counts, and 100 examples of each')),
      ...problems(400, 401, 403, 406, 409, 413, 415, 422, 503),
    },
  });

const describeHint = () =>
  operation({
    id: 'hintAtChange',
    summary: 'Say that a pod or a document has changed',
    description:
      'A node that reads it polls it soon. Whether it does is not told. Once a minute for a topic, 60 times an hour for a client.',
    requestBody: jsonBody(hintBody),
    responses: { 202: { description: 'Heard' }, ...problems(400, 413, 415, 422) },
  });

const NAMES = listOf(object({ uri: URI, label: TEXT }));

const POLL_REPORT: Json = {
  ...object(
    {
      url: URI,
      kind: { ...TEXT, enum: ['pod', 'peer'] },
      ok: { type: 'boolean' },
      error: TEXT,
      ...{ added: NUMBER, changed: NUMBER, removed: NUMBER },
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
