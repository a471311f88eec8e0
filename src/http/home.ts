import type { Handler } from '../lib/resource.js';
import type { Registry } from '../store/registry.js';
import { HOME_HEADERS, homePage } from './home-page.js';
import { chooseRepresentation } from './negotiate.js';
import type { Health, SourceStatus } from './node-report.js';

/** Components on the page at a time. */
const SHOWN = 100;

export interface HomeParts {
  readonly registry: () => Registry;
  readonly health: () => Health;
  readonly status: () => readonly SourceStatus[];
  readonly baseUrl: string;
  readonly version: string;
}

/** `GET /`: a page for a browser, links for everything else. */
export function getHome(parts: HomeParts): Handler {
  const description = JSON.stringify(describeLinks(parts.baseUrl, parts.version));
  return ({ req }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      return { status: 200, headers: { ...HEADERS, 'content-type': type }, body: description };
    }
    const after = req.query('after') || undefined;
    return {
      status: 200,
      headers: { ...HEADERS, ...HOME_HEADERS },
      body: homePage({
        ...parts,
        health: parts.health(),
        sources: parts.status(),
        ...catalogView(parts, after),
      }),
    };
  };
}

const HEADERS = { vary: 'Accept', 'cache-control': 'no-cache' };

function catalogView({ health, registry }: HomeParts, after: string | undefined) {
  if (health() === 'loading') return { size: 0, selection: { entries: [] }, after };
  const { catalog } = registry();
  return { size: catalog.size, selection: catalog.select({}, { limit: SHOWN, after }), after };
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
  };
  return {
    name: 'component registry node',
    version,
    links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, baseUrl + path])),
  };
}
