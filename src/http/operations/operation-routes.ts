import * as z from 'zod';
import type { Clock } from '../../lib/clock.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { anyObject, json, listOf, schemaOf } from '../../lib/http/openapi-parts.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Pins } from '../../registry/pins.js';
import type { OperatorParts } from '../access/operator.js';
import { content, type Feature, FOR_OPERATOR, OF_OPERATOR, queryParameters } from '../openapi.js';
import { get, post, type Route, remove } from '../own-resource.js';
import type { Commands } from './commands.js';
import { hintBody, takeHint } from './hint.js';
import { getMetrics, type Metrics } from './metrics.js';
import {
  decideAddress,
  decisionBody,
  deletePins,
  forOperator,
  rehearsalBody,
  rehearseNow,
  syncNow,
} from './operator-requests.js';
import { getHealth, getStatus, NEEDS, type StatusParts } from './status.js';

export interface OperationParts extends Omit<StatusParts, 'started'>, OperatorParts {
  readonly metrics: Metrics;
  readonly commands: Commands;
  readonly pins: Pins;
  readonly clock: Clock;
}

const healthParameters = z.object({
  need: z.enum(NEEDS).optional().describe('503 while that is impossible'),
});
const syncParameters = z.object({
  source: z.url().optional().describe('The URL of the one source to poll'),
  accept: z.enum(['shrink']).optional().describe('With `source`: it is believed, although it says much less'),
});
const pinParameters = z.object({
  uri: z.url().max(2048).describe('Of the module'),
  version: z.string().optional().describe('Of this version alone; of all when absent'),
});

/** How the node is, and what its operator has it do. */
export function operationFeature(parts: OperationParts): Feature {
  const { commands, reports, clock, config, metrics, pins } = parts;
  return {
    tag: { name: 'operation', description: 'How the node is, for its operator' },
    routes: [
      get('/health', getHealth(reports), {
        cors: ANY_ORIGIN,
        id: 'getHealth',
        summary: 'Is the node serving?',
        description: '503 while it loads or stops. A failing database is named, and stays 200.',
        parameters: () => queryParameters(healthParameters),
        answers: { 200: json(anyObject('The state of the node')) },
        refuses: [422, 503],
      }),
      get('/status', getStatus({ ...parts, started: clock.now() }), {
        cors: ANY_ORIGIN,
        id: 'getStatus',
        summary: 'The node and each of its sources',
        description: 'What is known of each, since when, what fails, and when the next try is.',
        answers: { 200: json(anyObject('The node and its sources')) },
        refuses: [],
      }),
      get('/metrics', getMetrics(metrics), {
        id: 'getMetrics',
        summary: 'Metrics for Prometheus, in its text format',
        answers: { 200: content(['text/plain']) },
        refuses: [],
      }),
      post('/hint', takeHint({ hint: commands.hint, clock, baseUrl: config.baseUrl }), {
        cors: ANY_ORIGIN,
        id: 'hintAtChange',
        summary: 'Say that a pod or a document has changed',
        description: 'A node that reads it polls it soon; whether it does is not told.',
        takes: () => json(schemaOf(hintBody)),
        answers: { 202: undefined },
        refuses: [413, 415, 422],
      }),
      ...operatorRoutes(parts, commands, pins),
    ],
  };
}

/** What only the operator may have done. */
function operatorRoutes(parts: OperatorParts, commands: Commands, pins: Pins): Route[] {
  const only = (handler: Handler) => forOperator(parts.operatorToken, handler);
  return [
    post('/sync', only(syncNow(commands.sync, parts)), {
      id: 'syncNow',
      summary: 'Poll now, all sources or one',
      description: 'Answers when the polls are over.',
      security: FOR_OPERATOR,
      parameters: () => queryParameters(syncParameters),
      answers: { 200: json(listOf(anyObject('What one poll of one source came to'))) },
      refuses: [...OF_OPERATOR, 404],
    }),
    post('/discovery', only(decideAddress(commands.decide, parts)), {
      id: 'decideAddress',
      summary: 'Decide whether an address that peers told of may be read',
      description: 'What was learned and is rejected is forgotten with all that it brought.',
      security: FOR_OPERATOR,
      takes: () => json(schemaOf(decisionBody)),
      answers: { 204: undefined },
      refuses: [...OF_OPERATOR, 413, 415, 422],
    }),
    remove('/pins', only(deletePins(pins, parts)), {
      id: 'forgetPins',
      summary: 'Forget which bytes were seen of a module',
      description: 'What is there at the next look counts as the first bytes then.',
      security: FOR_OPERATOR,
      parameters: () => queryParameters(pinParameters),
      answers: { 204: undefined },
      refuses: [...OF_OPERATOR, 404],
    }),
    post('/rehearse', only(rehearseNow(commands.rehearse)), {
      id: 'rehearseTrust',
      summary: 'What trusting a pod or a node would add, change, hide and be refused',
      description: 'Reads it once into memory. Nothing changes. 409: another rehearsal is under way.',
      security: FOR_OPERATOR,
      takes: () => json(schemaOf(rehearsalBody)),
      answers: { 200: content(['application/json', 'text/plain'], anyObject('Counts and examples')) },
      refuses: [...OF_OPERATOR, 406, 409, 413, 415, 422, 503],
    }),
  ];
}
