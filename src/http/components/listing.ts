import type { Page, State } from '../../catalog/catalog.js';
import type { Query } from '../../component/query.js';
import { acceptedCodings, type Coding } from '../../lib/http/headers/content-coding.js';
import { nextLink } from '../../lib/http/request/page-parameters.js';
import { jsonBodyAtHand, readJsonBody } from '../../lib/http/request/request-body.js';
import type { RouteRequest } from '../../lib/http/request/route-request.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, RouteContext } from '../../lib/http/resource.js';
import { readyBody } from '../../lib/http/response/body.js';
import type { Validators } from '../../lib/http/response/conditional.js';
import { feedCursor } from '../feed/feed-page.js';
import {
  COMPONENT_TYPES,
  type ComponentType,
  contentTypeOf,
  pageBody,
  type Representation,
  readyPieces,
  type Serving,
  variantOf,
} from '../representation.js';
import { chosenRepresentation } from './chosen-representation.js';
import type { ListingCodings } from './listing-codings.js';
import { type NewestVersions, newestVersions } from './newest-versions.js';
import { type Options, readConstraints, readOptions, readSelection } from './selection.js';

export interface ListingParts extends Serving {
  readonly codings: ListingCodings;
}

/** From this many components on, the whole listing is compressed; a shorter one is always sent as it is. */
const LONG = 2000;

/** `GET /component`: everything, a page of it, or what the parameters select. */
export function listComponents(parts: ListingParts): Handler {
  const { catalog, cacheable, codings } = parts;
  const newest = newestVersions();
  return async (c) => {
    const parameters = parametersOf(c.req.url);
    const state = await catalog.state();
    const { query, ...options } = readSelection(parameters, state.naming);
    const representation = chosenRepresentation(c.req.header('accept'), options);
    const isWhole = representation.type === 'application/json' && parameters.size === 0;
    const before = compressible(parts, isWhole, representation, state);
    const unchanged = cacheable.unchanged(c, before.validators(before.held(c)));
    if (unchanged) return unchanged;
    const page = await selectedPage({ catalog, newest, pace: c.pace }, query, options, representation);
    const current = compressible(parts, isWhole, representation, page.state);
    const coding = current.isLong ? chooseCoding(c, codings, page) : undefined;
    const ready = coding && codings.get(coding, page.state.revision);
    return cacheable.fresh(current.validators(coding), {
      status: 200,
      headers: {
        ...(coding && { 'content-encoding': coding }),
        ...listingHeaders(representation.type, page, `${page.state.naming.baseUrl}/component`, parameters),
      },
      body: ready ? readyBody(ready) : await pageBody(page, representation, parts.pace),
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

/** The entity tags of a listing in one state, and whether it may be sent compressed. */
function compressible(
  { entityTag }: ListingParts,
  isWhole: boolean,
  representation: Representation,
  state: State,
) {
  const { naming, revision, components } = state;
  const isLong = isWhole && components >= LONG;
  const tagOf = (coding?: Coding) =>
    entityTag(naming, revision, variantOf(representation) + (coding ? `-${coding}` : ''));
  return {
    isLong,
    validators: (coding?: Coding): Validators => ({
      etag: tagOf(coding),
      since: revision.since,
      repeatable: true,
      about: feedCursor(state),
      vary: isLong ? 'Accept, Accept-Encoding' : undefined,
    }),
    /** The coding of the copy that the client has already, even if this node has not made that copy since its start. */
    held({ req }: RouteContext): Coding | undefined {
      const tags = req.header('if-none-match');
      if (!isLong || tags === undefined) return undefined;
      return acceptedCodings(req.header('accept-encoding')).find((coding) => tags.includes(tagOf(coding)));
    },
  };
}

/**
 * The coding that the client likes best among those with a copy that is ready. Copies that the client would accept
 * and that are not ready are made in the background, for later requests.
 */
function chooseCoding(
  { req }: RouteContext,
  codings: ListingCodings,
  { json, state }: Page,
): Coding | undefined {
  if (!json) return undefined;
  const accepted = acceptedCodings(req.header('accept-encoding'));
  const ready = accepted.filter((coding) => codings.get(coding, state.revision));
  const missing = accepted.filter((coding) => !ready.includes(coding));
  // gzip before brotli, because it is faster.
  if (missing.length > 0) {
    const { bytes } = json;
    void codings.make(missing.reverse(), state.revision, { bytes, pieces: () => readyPieces(json) });
  }
  return ready[0];
}

/** Four lists of 64 values and some single ones make a query; looking at thousands of names would keep others waiting. */
const QUERY_BOUNDS = { depth: 10, members: 1000 } as const;

/** The JSON body of a request, which has been read where the answer may be stored. @throws Problem as `readJsonBody` */
export function bodyOf(req: RouteRequest, limit: number): unknown {
  if (!req.bodyAtHand) return readJsonBody(req.raw, limit, QUERY_BOUNDS);
  return jsonBodyAtHand(req.bodyAtHand, (name) => req.header(name), limit, QUERY_BOUNDS);
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
    const query = readConstraints(await bodyOf(c.req, limit), naming);
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
