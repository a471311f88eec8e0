import { anyObject, type Json, operation, parameter, problems } from '../../lib/http/openapi-parts.js';
import { content } from './openapi-schema.js';

const ADDRESS = { type: 'string', format: 'uri', maxLength: 2048 } as const;

function decisionOperation(): Json {
  const decision = { type: 'string', enum: ['approve', 'reject', 'forget'] };
  const properties = { url: ADDRESS, decision };
  const body = { type: 'object', required: ['url', 'decision'], properties, additionalProperties: false };
  return operation({
    id: 'decideAddress',
    tag: 'operation',
    summary: 'Decide whether an address that peers told of may be read',
    description: 'What was learned and is rejected is forgotten with all that it brought.',
    security: [{ operator: [] }],
    requestBody: { required: true, ...content(['application/json'], body) },
    responses: {
      204: { description: 'It has taken effect' },
      ...problems(400, 401, 403, 413, 415, 422),
    },
  });
}

function rehearsalOperation(): Json {
  const body = {
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: { url: { ...ADDRESS, description: 'Of a pod (a container or a document) or of a node' } },
  };
  return operation({
    id: 'rehearseTrust',
    tag: 'operation',
    summary: 'What trusting a pod or a node would lead to',
    description:
      'Reads it once into memory, within the limits of this node, and says what it would add, change, hide and be refused, and whom it would introduce. Nothing changes. `error` says why it could not be read; 409: another rehearsal is under way.',
    security: [{ operator: [] }],
    requestBody: { required: true, ...content(['application/json'], body) },
    responses: {
      200: content(['application/json', 'text/plain'], anyObject('Counts, and 100 examples of each')),
      ...problems(400, 401, 403, 406, 409, 413, 415, 422, 503),
    },
  });
}

function forgettingOperation(): Json {
  const version = { type: 'string', description: 'Of this version alone; of all when absent' };
  return operation({
    id: 'forgetPins',
    tag: 'operation',
    summary: 'Forget which bytes were seen of a module',
    description: 'What is there at the next look counts as the first bytes then.',
    security: [{ operator: [] }],
    parameters: [
      { ...parameter('uri', 'query', ADDRESS), required: true },
      parameter('version', 'query', version),
    ],
    responses: { 204: { description: 'Forgotten' }, ...problems(400, 401, 403, 404) },
  });
}

/** What only the operator decides. */
export const OPERATOR_PATHS: Json = {
  '/discovery': { post: decisionOperation() },
  '/pins': { delete: forgettingOperation() },
  '/rehearse': { post: rehearsalOperation() },
};
