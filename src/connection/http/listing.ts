import {
  invalidParameters,
  nextLink,
  pageSchemaOf,
  readPageParameters,
} from '../../lib/http/request/page-parameters.js';
import type { Answer } from '../../lib/http/resource.js';
import { inPieces } from '../../lib/http/response/paced-body.js';
import type { Pace } from '../../lib/pace.js';
import type { Stored } from '../records/records.js';
import { readUri, sameUri } from '../uri.js';
import { PRIVATE } from './entity.js';

export const pageSchema = pageSchemaOf({
  members: 'records',
  after: 'only records older than this one: the uri of one, or what the link to the next page gives',
});

interface Listing<T extends { uri: string }> {
  /** Newest first. */
  readonly records: readonly Stored<T>[];
  readonly body: (record: T) => object | Promise<object>;
  readonly pace: Pace;
  /** URL of the list, without parameters. */
  readonly address: string;
  readonly parameters: URLSearchParams;
  /** Names of parameters beside those of the page. */
  readonly others?: readonly string[];
}

/** A list, or a page of it, whose body is made while it is sent. @throws InvalidInput for wrong parameters */
export function listAnswer<T extends { uri: string }>(listing: Listing<T>): Answer {
  const { address, parameters, others = [] } = listing;
  const { limit, after } = readPageParameters(parameters, { single: others });
  const from = after === undefined ? listing.records : olderThan(after, listing.records);
  const page = from.slice(0, limit);
  const last = page.at(-1);
  const more = last !== undefined && page.length < from.length;
  return {
    status: 200,
    headers: { ...PRIVATE, ...nextLink(address, parameters, more ? String(last.seq) : undefined) },
    body: inPieces(texts(page, listing.body), listing.pace()),
    streams: true,
  };
}

/**
 * `after` is the URI of a record, or its number, which the link to the next page holds: unlike the URI, it still works
 * when the client has deleted the record before it asks for the next page.
 */
function olderThan<T extends { uri: string }>(
  after: string,
  records: readonly Stored<T>[],
): readonly Stored<T>[] {
  const seq = /^\d+$/.test(after) ? Number(after) : numberOf(after, records);
  return records.filter((stored) => stored.seq < seq);
}

function numberOf<T extends { uri: string }>(after: string, records: readonly Stored<T>[]): number {
  const uri = readUri(after);
  const found = uri === undefined ? undefined : records.findLast(({ record }) => sameUri(record.uri, uri));
  if (found) return found.seq;
  const detail = 'after names no record of this list; follow the link to the next page instead';
  throw invalidParameters([{ pointer: '?after', detail }]);
}

async function* texts<T>(
  page: readonly Stored<T>[],
  body: (record: T) => object | Promise<object>,
): AsyncGenerator<[string]> {
  yield ['['];
  for (const [i, { record }] of page.entries())
    yield [(i > 0 ? ',' : '') + JSON.stringify(await body(record))];
  yield [']\n'];
}
