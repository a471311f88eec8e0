import { anyObject, type Json, operation, parameter, problems, TEXT } from '../../lib/http/openapi-parts.js';
import { content } from './openapi-schema.js';

const DOCUMENT = { ...TEXT, format: 'uri', maxLength: 2048, description: 'The URL of the document' };

/** What authors and those who follow them ask for. */
export const AUTHOR_PATHS: Json = {
  '/document': {
    get: operation({
      id: 'getReceipt',
      tag: 'tools',
      summary: 'What this node has made of a document, and when',
      description:
        'In which form it was read, since when its descriptions are in the answers, and what was found in it. Of a container in JSON: the documents below it, 200 at most, with what they describe.',
      parameters: [parameter('url', 'query', DOCUMENT, true)],
      responses: {
        200: content(['application/json', 'text/html'], anyObject('The receipt')),
        ...problems(404, 406, 422),
      },
    }),
  },
};
