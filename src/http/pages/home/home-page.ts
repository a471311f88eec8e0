import { chooseRepresentation } from '../../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { jsonText } from '../../../lib/http/response/json-text.js';
import type { NodeView } from '../../../web/view.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import type { SearchResults } from '../finding/results.js';
import { readSearch } from '../finding/search.js';
import { homePage } from './home-view.js';

export interface HomeParts extends PageParts {
  readonly results: SearchResults;
}

/** `GET /`: the explorer for a browser, links for everything else. */
export function getHome(parts: HomeParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      const headers = { 'content-type': type, vary: 'Accept', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: jsonText(describeLinks(parts.node())) };
    }
    const search = readSearch(parametersOf(c.req.url));
    const results = await parts.results(search);
    return pageAnswer(homePage({ node: parts.node(), search, results }));
  };
}

function describeLinks({ baseUrl, version }: NodeView) {
  const links = {
    components: '/component',
    query: '/component/query',
    match: '/match',
    feed: '/feed',
    feedSources: '/feed/sources',
    peers: '/peers',
    storage: '/storage',
    health: '/health',
    status: '/status',
    metrics: '/metrics',
    openapi: '/openapi.json',
    hostLibrary: '/host.js',
  };
  return {
    name: 'component registry node',
    version,
    links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, baseUrl + path])),
  };
}
