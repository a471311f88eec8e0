import { descriptionsOf } from '../../catalog/catalog.js';
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
    const page = await catalog.page(queryOf(search), { limit: ENTRIES, after: search.after || undefined });
    const [shown, breathe]: [Description[], Breather] = [[], c.pace()];
    for (const one of await descriptionsOf(page)) {
      // What a description says is parsed each time that it is asked for.
      shown.push(withMetadata(one));
      await breathe();
    }
    const { naming, revision } = page.state;
    const etag = entityTag(naming, revision, 'html');
    return cacheable.answer(c, { etag, since: revision.since }, async () => {
      const { total, offers } = await countMatches(search, breathe);
      return pageAnswer(homePage({ node, search, total, offers, shown, next: page.next }));
    });
  };

  /** How many match, and where they are not too many, what would leave how many of them. */
  async function countMatches(
    search: Search,
    breathe: Breather,
  ): Promise<{ readonly total: number; readonly offers: Offers | undefined }> {
    const query = queryOf(search);
    const { total } = await catalog.counts(query, []);
    // Without a constraint they are counted already.
    if (total > COUNTED && !isEmpty(search)) return { total, offers: undefined };
    const { by } = await catalog.counts(query, LISTS);
    const offered = LISTS.map(async (name) => [name, await mostFrequent(by[name], search[name], breathe)]);
    return { total, offers: Object.fromEntries(await Promise.all(offered)) };
  }
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
