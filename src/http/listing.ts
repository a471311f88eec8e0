import type { Context } from 'hono';
import type { Naming } from '../component/codec.js';
import { type Query, readQuery } from '../component/query.js';
import { readyBody } from '../lib/http/body.js';
import { acceptedCodings, type Coding } from '../lib/http/content-coding.js';
import { bodyAtHand } from '../lib/http/front-desk.js';
import { nextLink, readPageParameters } from '../lib/http/page-parameters.js';
import { jsonBodyAtHand, readJsonBody } from '../lib/http/request-body.js';
import type { Answer, Handler } from '../lib/http/resource.js';
import type { Catalog, Entry, Selection } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import type { Cacheable } from './cacheable.js';
import type { ListingCodings } from './listing-codings.js';
import { chooseRepresentation } from './negotiate.js';
import { parametersOf } from './page-answer.js';
import {
  COMPONENT_TYPES,
  type ComponentType,
  componentsBody,
  contentTypeOf,
  isDataset,
  variantOf,
} from './representation.js';
import { readSelection } from './selection.js';

export interface ListingParts {
  readonly registry: () => Registry;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
  readonly codings: ListingCodings;
}

/** Components from which on the whole listing is worth compressing; shorter ones have one form, and one tag. */
const LONG = 2000;

/** `GET /component`: everything, a page of it, or what the parameters select. */
export function listComponents({ registry, naming, entityTag, cacheable, codings }: ListingParts): Handler {
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const parameters = parametersOf(c);
    const { query, page } = readSelection(parameters);
    const answer = (): Answer => {
      const { catalog, revision } = registry();
      const selected = lazily(() => catalog.select(query, page));
      const isWhole = type === 'application/json' && parameters.size === 0;
      const tagOf = (coding?: Coding) => entityTag(revision, variantOf(type) + (coding ? `-${coding}` : ''));
      const isLong = isWhole && catalog.size >= LONG;
      const coding = isLong ? chooseCoding(c, { codings, revision, selected, tagOf }) : undefined;
      const validators = {
        etag: tagOf(coding),
        since: revision.since,
        repeatable: true,
        ...(isLong ? { vary: 'Accept, Accept-Encoding' } : {}),
      };
      return cacheable(c, validators, (headers) => {
        const selection = selected();
        const ready = (coding && codings.get(coding, revision)) || selection.pieces;
        return {
          status: 200,
          headers: {
            ...headers,
            ...(coding ? { 'content-encoding': coding } : {}),
            ...listingHeaders(type, selection, `${naming.baseUrl}/component`, parameters),
          },
          ...(isWhole && ready
            ? { body: readyBody(ready) }
            : componentsBody(entriesFor(type, catalog, selection), type, naming)),
        };
      });
    };
    return whenPrepared(registry, query, answer);
  };
}

interface CodingParts {
  readonly codings: ListingCodings;
  readonly revision: Revision;
  readonly selected: () => Selection;
  /** The entity tag of the listing in that form, or in its plain one. */
  readonly tagOf: (coding?: Coding) => string;
}

/**
 * The compressed form that the client gets: the one that it has already, or the best one of those that have been
 * made. What has not been made, and would be welcome, is made for the next one.
 */
function chooseCoding(
  { req }: Context,
  { codings, revision, selected, tagOf }: CodingParts,
): Coding | undefined {
  const accepted = acceptedCodings(req.header('accept-encoding'));
  if (accepted.length === 0) return undefined;
  const ready = accepted.filter((coding) => codings.get(coding, revision));
  const known = req.header('if-none-match') ?? '';
  // Also one that has to be made again, after a restart: whoever has it has the current state.
  const held = [undefined, ...accepted].find((coding) => known.includes(tagOf(coding)));
  if (held !== undefined || known.includes(tagOf())) return held;
  const missing = accepted.filter((coding) => !ready.includes(coding));
  // The quick one first.
  if (missing.length > 0) void codings.make(missing.reverse(), revision, selected().pieces ?? []);
  return ready[0];
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
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
  { registry, naming }: Pick<ListingParts, 'registry' | 'naming'>,
  limit: number,
): Handler {
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const parameters = parametersOf(c);
    const page = readPageParameters(parameters);
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
