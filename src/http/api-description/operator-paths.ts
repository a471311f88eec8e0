import { anyObject, type Json, operation, parameter, problems, TEXT } from '../../lib/http/openapi-parts.js';
import { decisionBody } from '../operations/discovery.js';
import { rehearsalBody } from '../operations/rehearse.js';
import { content, jsonBody } from './openapi-schema.js';

const URI = { ...TEXT, format: 'uri', maxLength: 2048 };
const VERSION = { ...TEXT, description: 'Of this version alone; of all when absent' };

/** What only the operator decides. */
export const operatorPaths = (): Json => ({
  '/discovery': {
    post: operation({
      id: 'decideAddress',
      tag: 'operation',
      summary: 'Decide whether an address that peers told of may be read',
      description: 'What was learned and is rejected is forgotten with all that it brought.',
      security: [{ operator: [] }],
      requestBody: jsonBody(decisionBody),
      responses: { 204: { description: 'It has taken effect' }, ...problems(400, 401, 403, 413, 415, 422) },
    }),
  },
  '/pins': {
    delete: operation({
      id: 'forgetPins',
      tag: 'operation',
      summary: 'Forget which bytes were seen of a module',
      description: 'What is there at the next look counts as the first bytes then.',
      security: [{ operator: [] }],
      parameters: [parameter('uri', 'query', URI, true), parameter('version', 'query', VERSION)],
      responses: { 204: { description: 'Forgotten' }, ...problems(400, 401, 403, 404) },
    }),
  },
  '/rehearse': {
    post: operation({
      id: 'rehearseTrust',
      tag: 'operation',
      summary: 'What trusting a pod or a node would lead to',
      description:
        'Reads it once into memory, within the limits of this node, and says what it would add, change, hide and be refused, and whom it would introduce. Nothing changes. `error` says why it could not be read; 409: another rehearsal is under way.',
      security: [{ operator: [] }],
      requestBody: jsonBody(rehearsalBody),
      responses: {
        200: content(['application/json', 'text/plain'], anyObject('Counts, and 100 examples of each')),
        ...problems(400, 401, 403, 406, 409, 413, 415, 422, 503),
      },
    }),
  },
});
