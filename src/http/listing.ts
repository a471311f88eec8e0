import type { Naming } from '../component/codec.js';
import { type Query, readQuery } from '../component/query.js';
import { readyBody } from '../lib/http/body.js';
import { bodyAtHand } from '../lib/http/front-desk.js';
import { jsonBodyAtHand, readJsonBody } from '../lib/http/request-body.js';
import type { Answer, Handler } from '../lib/http/resource.js';
import type { Catalog, Entry, Selection } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import type { Cacheable } from './cacheable.js';
import { chooseRepresentation } from './negotiate.js';
import { parametersOf } from './page-answer.js';
import {
  COMPONENT_TYPES,
  type ComponentsBody,
  type ComponentType,
  componentsBody,
  contentTypeOf,
  isDataset,
  variantOf,
} from './representation.js';
import { nextLink, readPage, readSelection } from './selection.js';

export interface ListingParts {
  readonly registry: () => Registry;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
}

/** `GET /component`: everything, a page of it, or what the parameters select. */
export function listComponents({ registry, naming, entityTag, cacheable }: ListingParts): Handler {
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const parameters = parametersOf(c);
    const { query, page } = readSelection(parameters);
    const answer = (): Answer => {
      const { catalog, revision } = registry();
      const validators = {
        etag: entityTag(revision, variantOf(type)),
        since: revision.since,
        repeatable: true,
      };
      return cacheable(c, validators, (headers) => {
        const selection = catalog.select(query, page);
        const entries = () => entriesFor(type, catalog, selection);
        return {
          status: 200,
          headers: {
            ...headers,
            ...listingHeaders(type, selection, `${naming.baseUrl}/component`, parameters),
          },
          ...listingBody(type, selection, entries, naming),
        };
      });
    };
    return whenPrepared(registry, query, answer);
  };
}

/** Searches for words need something that other queries do not, and that takes a moment the first time. */
function whenPrepared(
  registry: () => Registry,
  { q }: Query,
  answer: () => Answer,
): Answer | Promise<Answer> {
  return q === undefined ? answer() : registry().catalog.prepareSearch().then(answer);
}

/** `POST /component/query`: what the constraints in the body select. */
export function queryComponents(
  { registry, naming }: Omit<ListingParts, 'cacheable'>,
  limit: number,
): Handler {
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const parameters = parametersOf(c);
    const page = readPage(parameters);
    const answer = (query: Query): Answer => {
      const { catalog } = registry();
      const selection = catalog.select(query, page);
      const entries = entriesFor(type, catalog, selection);
      return {
        status: 200,
        headers: queryHeaders(type, selection, `${naming.baseUrl}/component/query`, parameters),
        ...componentsBody(entries, type, naming),
        repeatable: true,
      };
    };
    const answerTo = (body: unknown) => {
      const query = readQuery(body);
      return whenPrepared(registry, query, () => answer(query));
    };
    const bytes = bodyAtHand(c.env?.incoming);
    return bytes
      ? answerTo(jsonBodyAtHand(bytes, c.req.raw, limit))
      : readJsonBody(c.req.raw, limit).then(answerTo);
  };
}

const QUERY_HEADERS = new Map(
  COMPONENT_TYPES.map((type) => {
    const headers = { vary: 'Accept', 'cache-control': 'no-cache', 'content-type': contentTypeOf(type) };
    return [type, Object.freeze(headers)];
  }),
);

function queryHeaders(...[type, selection, address, parameters]: Parameters<typeof listingHeaders>) {
  const headers = QUERY_HEADERS.get(type) ?? {};
  return selection.next === undefined
    ? headers
    : { ...headers, ...listingHeaders(type, selection, address, parameters) };
}

/** Datasets hold every source's statements, those that are not served included. */
function entriesFor(type: ComponentType, catalog: Catalog, { entries }: Selection): Iterable<Entry> {
  return isDataset(type) ? catalog.withLosers(entries) : entries;
}

/** The whole listing as JSON lies ready; everything else is made. */
function listingBody(
  type: ComponentType,
  { pieces }: Selection,
  entries: () => Iterable<Entry>,
  naming: Naming,
): ComponentsBody {
  return type === 'application/json' && pieces
    ? { body: readyBody(pieces) }
    : componentsBody(entries(), type, naming);
}

function listingHeaders(
  type: ComponentType,
  { next }: Selection,
  address: string,
  parameters: URLSearchParams,
): Record<string, string> {
  return {
    'content-type': contentTypeOf(type),
    ...(next === undefined ? {} : { link: nextLink(address, parameters, next) }),
  };
}
