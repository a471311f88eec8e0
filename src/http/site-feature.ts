import { anyObject, type Json, operation, parameter, problems, TEXT } from '../lib/http/openapi-parts.js';
import type { Method } from '../lib/http/resource.js';
import { content, type Feature, UNCHANGED } from './openapi.js';
import type { OwnResource } from './own-resource.js';

/** The pages, the files that browsers load, and the description of the whole node. */
export function siteFeature(resources: readonly OwnResource[]): Feature {
  return {
    tag: { name: 'tools', description: 'For web developers and authors of components' },
    resources: resources.map((one) => ({ operations: OF_PROGRAMS[one.path], ...one })),
  };
}

const URI = { ...TEXT, format: 'uri' };
const LINTED = {
  url: { ...URI, description: 'Of the document; of a text, where it will be' },
  text: { ...TEXT, description: 'The document itself: Turtle, JSON-LD, JSON or HTML' },
};

/** Of the pages, what programs ask for, too. */
const OF_PROGRAMS: Readonly<Record<string, Partial<Record<Method, () => Json>>>> = {
  '/': {
    GET: () =>
      operation({
        id: 'getHome',
        summary: 'A page for people, links for programs',
        description: 'Browsers get the explorer.',
        responses: { 200: content(['application/json', 'text/html'], anyObject('Links')), ...problems(406) },
      }),
  },
  '/why': {
    GET: () =>
      operation({
        id: 'askWhy',
        summary: 'Why a component is served as it is, or not at all; or what became of a document',
        description:
          'Of a component (`uri`): who describes it, who won by which rule, what keeps others from being served, and what the node knows of it by itself (`facts`). Of a document: in which form it was read, since when its descriptions are in the answers, and what was found in it; 404 where no source has it. Of a container in JSON: the documents below it, 200 at most, with what they describe.',
        parameters: [
          parameter('uri', 'query', { ...TEXT, maxLength: 2048 }),
          parameter('document', 'query', { ...URI, maxLength: 2048 }),
        ],
        responses: {
          200: content(['application/json', 'text/html'], anyObject('Every source that has to do with it')),
          ...problems(404, 406, 422),
        },
      }),
  },
  '/publish': {
    GET: () =>
      operation({
        id: 'getPublishPage',
        summary: 'Where authors publish, and have descriptions checked',
        description: 'A page for people.',
        responses: { 200: content(['text/html']), ...problems('4XX') },
      }),
    POST: () =>
      operation({
        id: 'lintDocument',
        summary: 'Check a metadata document and the modules that it names',
        description: 'Nothing is stored, and no module is run.',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': { schema: { type: 'object', properties: LINTED } },
          },
        },
        responses: {
          200: content(['application/json', 'text/html'], anyObject('What was found')),
          ...problems(403, 406, 413, 415, 422, 429),
        },
      }),
  },
  '/host.js': {
    GET: () =>
      operation({
        id: 'getHostLibrary',
        summary: 'The library for host applications',
        description: 'An ES module without dependencies, for pages of any site.',
        responses: { 200: content(['text/javascript']), 304: UNCHANGED, ...problems('4XX') },
      }),
  },
  '/openapi.json': {
    GET: () =>
      operation({
        id: 'getOpenApi',
        summary: 'This description',
        description: 'Of the node as it is configured, with the other services on it.',
        responses: {
          200: content(['application/json'], anyObject('An OpenAPI 3.1 document')),
          ...problems('4XX'),
        },
      }),
  },
};
