import { querySchema } from '../../component/query.js';
import { anyObject, type Json, operation, parameter, problems, TEXT } from '../../lib/http/openapi-parts.js';
import { content, queryParameters, UNCHANGED } from './openapi-schema.js';

const URI = { ...TEXT, maxLength: 2048, description: 'The uri of a component' };
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
  '/badge': {
    get: operation({
      id: 'getBadge',
      tag: 'tools',
      summary: 'A badge that says whether a component is listed here',
      description: 'A picture for the page of its author, with the version.',
      parameters: [parameter('uri', 'query', URI, true)],
      responses: { 200: content(['image/svg+xml']), 304: UNCHANGED, ...problems(422) },
    }),
  },
  '/atom': {
    get: operation({
      id: 'followComponents',
      tag: 'components',
      summary: 'New and changed components as an Atom feed',
      description: 'The newest 50 of all, of a search, or of the versions of the component that `uri` names.',
      parameters: queryParameters(
        querySchema.pick({ q: true, shapes: true, tag: true, author: true, uri: true }),
      ),
      responses: { 200: content(['application/atom+xml']), 304: UNCHANGED, ...problems('4XX') },
    }),
  },
};
