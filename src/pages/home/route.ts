import { type Counts, descriptionsOf, type Page, type State } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Serving } from '../../http/representation.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonText } from '../../lib/http/json-answer.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Breather } from '../../lib/pace.js';
import type { NodeView } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { isEmpty, LISTS, queryOf, readSearch, type Search } from './search.js';
import { homePage, type Offers, type ValueCount } from './view.js';

/** Entries on a page of results. */
const ENTRIES = 50;
/** Values of one field that narrow a search down: those that most of the matches have. */
const OFFERED = 20;
/** Most matches whose values are counted: what each of them says has to be read. */
const COUNTED = 5_000;

/** `GET /`: the explorer for a browser, links for everything else. */
export function getHome({ node: view, catalog, cacheable, entityTag }: PageParts & Serving): Handler {
  return async (c) => {
    const node = view();
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    if (type === 'application/json') {
      const headers = { 'content-type': type, vary: 'Accept', 'cache-control': 'no-cache' };
      return { status: 200, headers, body: jsonText(describeLinks(node)) };
    }
    const search = readSearch(parametersOf(c.req.url));
    const unchanged = cacheable.unchanged(c, validatorsOf(await catalog.state()));
    if (unchanged) return unchanged;
    const { page, counts } = await find(search);
    const { state, next } = page;
    const { total } = counts;
    const [shown, breathe]: [Description[], Breather] = [[], c.pace()];
    for (const one of await descriptionsOf(page)) {
      // What a description says is parsed each time that it is asked for.
      shown.push(withMetadata(one));
      await breathe();
    }
    // Without a constraint they are counted already.
    const isCounted = total <= COUNTED || isEmpty(search);
    const offers = isCounted ? await offersOf(counts, search, breathe) : undefined;
    return cacheable.fresh(
      validatorsOf(state),
      pageAnswer(homePage({ node, search, total, offers, shown, next })),
    );
  };

  function validatorsOf({ naming, revision }: State) {
    return { etag: entityTag(naming, revision, 'html'), since: revision.since };
  }

  /** A page of the matches, and how many there are of which values, in one state. */
  async function find(search: Search): Promise<{ readonly page: Page; readonly counts: Counts }> {
    for (;;) {
      // All that the page says is of one state, the shapes that its words stand for included.
      const states = new Set<State>();
      const query = await queryOf(search, async (shape) => {
        const { total, state } = await catalog.counts({ shapes: [shape] }, 0);
        states.add(state);
        return total > 0;
      });
      const [page, counts] = await Promise.all([
        catalog.page(query, { limit: ENTRIES, after: search.after || undefined }),
        catalog.counts(query, COUNTED),
      ]);
      states.add(page.state).add(counts.state);
      if (states.size === 1) return { page, counts };
    }
  }
}

/** What would narrow the search down, and leave how many matches. */
async function offersOf({ by }: Counts, search: Search, breathe: Breather): Promise<Offers> {
  const offered = LISTS.map(async (name) => [name, await mostFrequent(by[name], search[name], breathe)]);
  return Object.fromEntries(await Promise.all(offered));
}

/** The values that occur most, but those that are chosen already. */
async function mostFrequent(
  counts: ReadonlyMap<string, number>,
  chosen: readonly string[],
  breathe: Breather,
): Promise<readonly ValueCount[]> {
  const most: ValueCount[] = [];
  for (const one of counts) {
    const pause = breathe();
    if (pause) await pause;
    if (chosen.includes(one[0])) continue;
    const place = most.findIndex((other) => isBefore(one, other));
    if (place >= 0) most.splice(place, 0, one);
    else if (most.length < OFFERED) most.push(one);
    most.length = Math.min(most.length, OFFERED);
  }
  return most;
}

function isBefore([value, count]: ValueCount, [other, others]: ValueCount): boolean {
  return count > others || (count === others && value < other);
}

function describeLinks({ baseUrl, version }: NodeView) {
  const links = {
    ...{ components: '/component', query: '/component/query', match: '/match' },
    ...{ feed: '/feed', feedSources: '/feed/sources', peers: '/peers', storage: '/storage' },
    ...{ health: '/health', status: '/status', metrics: '/metrics', openapi: '/openapi.json' },
    hostLibrary: '/host.js',
  };
  return {
    name: 'component registry node',
    version,
    links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, baseUrl + path])),
  };
}
