import * as z from 'zod';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { anyObject, json, listOf, schemaOf } from '../../lib/http/openapi-parts.js';
import type { Pins } from '../../registry/pins.js';
import type { Audit } from '../access/audit.js';
import { content, type Feature, FOR_OPERATOR, queryParameters } from '../openapi.js';
import { get, post, type Route, remove } from '../own-resource.js';
import type { Commands } from './commands.js';
import { hintBody, takeHint } from './hint.js';
import { getMetrics, type Metrics } from './metrics.js';
import {
  decideAddress,
  decisionBody,
  deletePins,
  forOperator,
  pinParameters,
  rehearsalBody,
  rehearseNow,
  syncNow,
  syncParameters,
} from './operator-requests.js';
import { getHealth, getStatus, NEEDS, type StatusParts } from './status.js';

interface OperationParts {
  readonly status: StatusParts & { readonly metrics: Metrics };
  readonly commands: Commands;
  readonly pins: Pins;
  readonly audit: Audit;
}

const healthParameters = z.object({
  need: z.enum(NEEDS).optional().describe('503 while that is impossible'),
});

/** How the node is, and what its operator has it do. */
export function operationFeature(parts: OperationParts): Feature {
  const { status, commands } = parts;
  const { reports, clock, config, metrics } = status;
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
      get('/status', getStatus(status), {
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
      ...operatorRoutes(parts),
    ],
  };
}

/** What only the operator may have done. */
function operatorRoutes({ status, commands, pins, audit }: OperationParts): Route[] {
  const routes = [
    post('/sync', syncNow(commands.sync, audit), {
      id: 'syncNow',
      summary: 'Poll now, all sources or one',
      description: 'Answers when the polls are over.',
      parameters: () => queryParameters(syncParameters),
      answers: { 200: json(listOf(anyObject('What one poll of one source came to'))) },
      refuses: [404],
    }),
    post('/discovery', decideAddress(commands.decide, audit), {
      id: 'decideAddress',
      summary: 'Decide whether an address that peers told of may be read',
      description: 'What was learned and is rejected is forgotten with all that it brought.',
      takes: () => json(schemaOf(decisionBody)),
      answers: { 204: undefined },
      refuses: [413, 415, 422],
    }),
    remove('/pins', deletePins(pins, audit), {
      id: 'forgetPins',
      summary: 'Forget which bytes were seen of a module',
      description: 'What is there at the next look counts as the first bytes then.',
      parameters: () => queryParameters(pinParameters),
      answers: { 204: undefined },
      refuses: [404],
    }),
    post('/rehearse', rehearseNow(commands.rehearse), {
      id: 'rehearseTrust',
      summary: 'What trusting a pod or a node would add, change, hide and be refused',
      description: 'Reads it once into memory. Nothing changes. 409: another rehearsal is under way.',
      takes: () => json(schemaOf(rehearsalBody)),
      answers: { 200: content(['application/json', 'text/plain'], anyObject('Counts and examples')) },
      refuses: [406, 409, 413, 415, 422, 503],
    }),
  ];
  return routes.map((route) => ({
    ...route,
    handler: forOperator(status.config.operatorToken, route.handler),
    security: FOR_OPERATOR,
    refuses: [401, 403, ...route.refuses],
  }));
}
