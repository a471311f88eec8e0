import { anyObject, type Described, type Feature, parameter, TEXT } from '../lib/http/openapi-parts.js';
import { content } from './openapi.js';

const OR_PAGE = ['application/json', 'text/html'];

/** What programs ask for, too, of the pages and the files that browsers load; and the description of the whole node. */
const OF_PROGRAMS: readonly Described[] = [
  {
    method: 'GET',
    path: '/',
    id: 'getHome',
    summary: 'A page for people, links for programs',
    answers: { 200: content(OR_PAGE, anyObject('Links')) },
    refuses: [406],
  },
  {
    method: 'GET',
    path: '/why',
    id: 'askWhy',
    summary: 'Why a component is served as it is, or not at all; or what became of a document',
    description:
      'Of a component (`uri`): who describes it, who won by which rule, and what keeps others from being served. ' +
      'Of a document: what was found in it; 404 where no source has it. Of a container in JSON: the documents below it.',
    parameters: () =>
      ['uri', 'document'].map((name) => parameter(name, 'query', { ...TEXT, maxLength: 2048 })),
    answers: { 200: content(OR_PAGE, anyObject('Every source that has to do with it')) },
    refuses: [404, 406, 422],
  },
  {
    method: 'GET',
    path: '/publish',
    id: 'getPublishPage',
    summary: 'Where authors publish, and have descriptions checked',
    answers: { 200: content(['text/html']) },
    refuses: [406],
  },
  {
    method: 'POST',
    path: '/publish',
    id: 'lintDocument',
    summary: 'Check a metadata document and the modules that it names',
    description: 'Nothing is stored, and no module is run.',
    takes: () => ({
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { url: { ...TEXT, format: 'uri' }, text: TEXT } },
      },
    }),
    answers: { 200: content(OR_PAGE, anyObject('What was found')) },
    refuses: [403, 406, 413, 415, 422, 429],
  },
  {
    method: 'GET',
    path: '/host.js',
    id: 'getHostLibrary',
    summary: 'The library for host applications, an ES module for pages of any site',
    answers: { 200: content(['text/javascript']), 304: undefined },
    refuses: [404],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenApi',
    summary: 'This description, of the node as it is configured and the other services on it',
    answers: { 200: content(['application/json'], anyObject('An OpenAPI 3.1 document')) },
    refuses: [],
  },
];

export const SITE: Feature = {
  tag: { name: 'tools', description: 'For web developers and authors of components' },
  routes: OF_PROGRAMS,
};
