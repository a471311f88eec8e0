import type { Handler } from '../lib/http/resource.js';
import { lowerBound } from '../store/listing.js';
import type { Registry } from '../store/registry.js';
import { type HomeView, homePage } from '../web/home-page.js';
import { queryOf, readSearch, type Search } from '../web/search.js';
import { chooseRepresentation } from './negotiate.js';
import { nodeView, type PageParts, pageAnswer, parametersOf } from './page-answer.js';

/** Components on a page of results. */
const SHOWN = 50;

export interface HomeParts extends PageParts {
  readonly registry: () => Registry;
}

/** `GET /`: the explorer for a browser, links for everything else. */
export function getHome(parts: HomeParts): Handler {
  const description = JSON.stringify(describeLinks(parts.baseUrl, parts.version));
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      const headers = { 'content-type': type, vary: 'Accept', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: description };
    }
    const parameters = parametersOf(c);
    const search = readSearch(parameters);
    const after = parameters.get('after') || undefined;
    if (search.q && parts.health() !== 'loading') await parts.registry().catalog.prepareSearch();
    return pageAnswer(homePage({ node: nodeView(parts), search, after, ...results(parts, search, after) }));
  };
}

type Results = Pick<HomeView, 'found' | 'entries' | 'next' | 'counts'>;

const NO_RESULTS: Results = {
  found: 0,
  entries: [],
  next: undefined,
  counts: { shapes: new Map(), tag: new Map() },
};

function results({ health, registry }: HomeParts, search: Search, after: string | undefined): Results {
  if (health() === 'loading') return NO_RESULTS;
  const { catalog } = registry();
  const found = catalog.select(queryOf(search)).entries;
  const start = after === undefined ? 0 : lowerBound(found, ({ uri }) => uri > after);
  const entries = found.slice(start, start + SHOWN);
  return {
    entries,
    next: start + SHOWN < found.length ? entries.at(-1)?.uri : undefined,
    found: found.length,
    counts: { shapes: catalog.counts('shapes', found), tag: catalog.counts('tag', found) },
  };
}

function describeLinks(baseUrl: string, version: string) {
  const links = {
    components: '/component',
    query: '/component/query',
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
