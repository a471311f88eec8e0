import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import type { Catalog } from '../../registry/catalog.js';
import { descriptionsOf } from '../../registry/page.js';
import { type HomeView, homePage } from '../../web/home-page.js';
import { queryOf, readSearch, type Search } from '../../web/search.js';
import { nodeView, type PageParts, pageAnswer } from './page-answer.js';

/** How many components one page of results shows. */
const SHOWN = 50;

export interface HomeParts extends PageParts {
  readonly catalog: () => Catalog;
}

/** `GET /`: the explorer for a browser, links for everything else. */
export function getHome(parts: HomeParts): Handler {
  const description = jsonText(describeLinks(parts.baseUrl, parts.version));
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      const headers = { 'content-type': type, vary: 'Accept', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: description };
    }
    const parameters = parametersOf(c.req.url);
    const search = readSearch(parameters);
    const after = parameters.get('after') || undefined;
    const found = await results(parts, search, after);
    return pageAnswer(homePage({ node: nodeView(parts), search, after, ...found }));
  };
}

type Results = Pick<HomeView, 'found' | 'entries' | 'next' | 'counts'>;

const NO_RESULTS: Results = {
  found: 0,
  entries: [],
  next: undefined,
  counts: { shapes: new Map(), tag: new Map() },
};

async function results(
  { health, catalog }: HomeParts,
  search: Search,
  after: string | undefined,
): Promise<Results> {
  if (health() === 'loading') return NO_RESULTS;
  const query = queryOf(search);
  const page = await catalog().page(query, { after, limit: SHOWN });
  const { total, by } = await catalog().counts(query, ['shapes', 'tag']);
  return { entries: await descriptionsOf(page), next: page.next, found: total, counts: by };
}

function describeLinks(baseUrl: string, version: string) {
  const links = {
    components: '/component',
    query: '/component/query',
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
