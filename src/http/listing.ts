import type { Naming } from '../component/codec.js';
import { readQuery } from '../component/query.js';
import { readJsonBody } from '../lib/request-body.js';
import type { Answer, Handler } from '../lib/resource.js';
import type { Catalog, Entry, Selection } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import type { Cacheable } from './cacheable.js';
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
    const { catalog, revision } = registry();
    const validators = { etag: entityTag(revision, variantOf(type)), since: revision.since };
    return cacheable(c, validators, (headers) => {
      const selection = catalog.select(query, page);
      const entries = entriesFor(type, catalog, selection);
      return {
        status: 200,
        headers: {
          ...headers,
          ...listingHeaders(type, selection, `${naming.baseUrl}/component`, parameters),
        },
        body: componentsBody(entries, type, naming),
      };
    });
  };
}

/** `POST /component/query`: what the constraints in the body select. */
export function queryComponents(
  { registry, naming }: Omit<ListingParts, 'cacheable'>,
  limit: number,
): Handler {
  return async (c): Promise<Answer> => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const parameters = parametersOf(c);
    const page = readPage(parameters);
    const query = readQuery(await readJsonBody(c.req.raw, limit));
    const { catalog } = registry();
    const selection = catalog.select(query, page);
    const entries = entriesFor(type, catalog, selection);
    return {
      status: 200,
      headers: {
        vary: 'Accept',
        'cache-control': 'no-cache',
        ...listingHeaders(type, selection, `${naming.baseUrl}/component/query`, parameters),
      },
      body: componentsBody(entries, type, naming),
    };
  };
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
