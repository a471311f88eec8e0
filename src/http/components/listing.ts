import type { Page, State } from '../../catalog/catalog.js';
import type { Query } from '../../component/query.js';
import { acceptedCodings, type Coding } from '../../lib/http/headers/content-coding.js';
import { nextLink } from '../../lib/http/request/page-parameters.js';
import { jsonBodyAtHand, readJsonBody } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, RouteContext } from '../../lib/http/resource.js';
import { readyBody } from '../../lib/http/response/body.js';
import type { Validators } from '../../lib/http/response/conditional.js';
import { feedCursor } from '../feed/feed-answers.js';
import {
  COMPONENT_TYPES,
  type ComponentType,
  contentTypeOf,
  pageBody,
  type Representation,
  type Serving,
  variantOf,
} from '../representation.js';
import { chosenRepresentation } from './chosen-representation.js';
import type { ListingCopies } from './listing-copies.js';
import { type NewestVersions, newestVersions } from './newest-versions.js';
import { type Options, readConstraints, readOptions, readSelection } from './selection.js';

export interface ListingParts extends Serving {
  readonly copies: ListingCopies;
}

/** From this many components on, the whole listing is compressed; a shorter one is always sent as it is. */
const LONG = 2000;

/** `GET /component`: everything, a page of it, or what the parameters select. */
export function listComponents(parts: ListingParts): Handler {
  const { catalog, cacheable, copies, pace, entityTag } = parts;
  const newest = newestVersions();
  return async (c) => {
    const { req } = c;
    const parameters = parametersOf(req.url);
    const state = await catalog.state();
    const { query, ...options } = readSelection(parameters, state.naming);
    const representation = chosenRepresentation(req.header('accept'), options);
    const isWhole = representation.type === 'application/json' && parameters.size === 0;
    const isLong = (at: State) => isWhole && at.components >= LONG;
    const accepted = () => acceptedCodings(req.header('accept-encoding'));
    const validators = (at: State, coding?: Coding): Validators => ({
      etag: entityTag(
        at.naming,
        at.revision,
        variantOf(representation) + (coding === undefined ? '' : `-${coding}`),
      ),
      since: at.revision.since,
      repeatable: true,
      about: feedCursor(at),
      vary: isLong(at) ? 'Accept, Accept-Encoding' : undefined,
    });
    const tags = req.header('if-none-match');
    // The client may have a compressed copy that this node has not made since its start.
    const held =
      tags !== undefined && isLong(state)
        ? accepted().find((coding) => tags.includes(validators(state, coding).etag))
        : undefined;
    const unchanged = cacheable.unchanged(c, validators(state, held));
    if (unchanged) return unchanged;
    const page = await selectedPage({ catalog, newest, pace: c.pace }, query, options, representation);
    const copy = isLong(page.state) ? readyCopy(copies, accepted(), page) : undefined;
    return cacheable.fresh(validators(page.state, copy?.coding), {
      status: 200,
      headers: {
        ...(copy && { 'content-encoding': copy.coding }),
        ...listingHeaders(representation.type, page, `${page.state.naming.baseUrl}/component`, parameters),
      },
      body: copy ? readyBody(copy.pieces) : await pageBody(page, representation, pace),
      streams: true,
    });
  };
}

async function selectedPage(
  { catalog, newest, pace }: Pick<ListingParts, 'catalog' | 'pace'> & { readonly newest: NewestVersions },
  query: Query,
  { page, newest: onlyNewest }: Options,
  { graphs }: Representation,
): Promise<Page> {
  if (!onlyNewest) return catalog.page(query, { ...page, shadowed: graphs === 'all' });
  return newest(() => catalog.page(query), page, pace);
}

/**
 * The copy that the client likes best among those that are ready. Copies that it would accept and that are not ready are made
 * in the background, for later requests.
 */
function readyCopy(copies: ListingCopies, accepted: readonly Coding[], page: Page) {
  const { json, state } = page;
  const known = accepted.map((coding) => ({ coding, pieces: copies.get(coding, state.revision) }));
  const missing = known.flatMap(({ coding, pieces }) => (pieces ? [] : [coding]));
  // gzip before brotli, because it is faster.
  if (json && missing.length > 0) void copies.make(missing.reverse(), page, json);
  for (const { coding, pieces } of known) if (pieces) return { coding, pieces };
  return undefined;
}

/** Four lists of 64 values and some single ones make a query; looking at thousands of names would keep others waiting. */
const QUERY_BOUNDS = { depth: 10, members: 1000 } as const;

/** The JSON body of a request, which has been read where the answer may be stored. @throws Problem as `readJsonBody` */
export function bodyOf({ req, bodyAtHand }: RouteContext, limit: number): unknown {
  if (!bodyAtHand) return readJsonBody(req.raw, limit, QUERY_BOUNDS);
  return jsonBodyAtHand(bodyAtHand, (name) => req.header(name), limit, QUERY_BOUNDS);
}

/** `POST /component/query`: the components that meet the constraints in the body. `limit`: bytes of the body. */
export function queryComponents(parts: Pick<ListingParts, 'catalog' | 'pace'>, limit: number): Handler {
  const { catalog } = parts;
  const newest = newestVersions();
  return async (c) => {
    const parameters = parametersOf(c.req.url);
    const options = readOptions(parameters);
    const representation = chosenRepresentation(c.req.header('accept'), options);
    const { naming } = await catalog.state();
    const query = readConstraints(await bodyOf(c, limit), naming);
    const page = await selectedPage({ catalog, newest, pace: c.pace }, query, options, representation);
    const address = `${page.state.naming.baseUrl}/component/query`;
    return {
      status: 200,
      headers: queryHeaders(representation.type, page, address, parameters),
      body: await pageBody(page, representation, parts.pace),
      streams: true,
      repeatable: true,
    };
  };
}

const QUERY_HEADERS = new Map(
  COMPONENT_TYPES.map((type) => {
    const headers = { vary: 'Accept', 'cache-control': 'no-cache', 'content-type': contentTypeOf(type) };
    return [type, Object.freeze(headers)];
  }),
);

function queryHeaders(...[type, page, address, parameters]: Parameters<typeof listingHeaders>) {
  const headers = QUERY_HEADERS.get(type) ?? {};
  return page.next === undefined
    ? headers
    : { ...headers, ...listingHeaders(type, page, address, parameters) };
}

function listingHeaders(
  type: ComponentType,
  { next }: Pick<Page, 'next'>,
  address: string,
  parameters: URLSearchParams,
): Record<string, string> {
  return { 'content-type': contentTypeOf(type), ...nextLink(address, parameters, next) };
}
