import { InvalidInput } from '../../lib/faults.js';
import { nextLink, pageSchemaOf, readPageParameters } from '../../lib/http/page-parameters.js';
import type { Answer } from '../../lib/http/resource.js';
import { breather } from '../../lib/slices.js';
import type { IndexedRecord } from '../records/record-index.js';
import { readUri, sameUri } from '../uri.js';
import { PRIVATE } from './entity.js';

/** Size of the pieces in which a list is sent, in characters. */
const PIECE = 65_536;

export const pageSchema = pageSchemaOf({
  members: 'records',
  after: 'only records older than this one: the uri of one, or what the link to the next page gives',
});

interface Listing<T extends { uri: string }> {
  /** Newest first. */
  readonly records: readonly IndexedRecord<T>[];
  readonly body: (record: T) => object | Promise<object>;
  /** Where the list is, without parameters. */
  readonly address: string;
  readonly parameters: URLSearchParams;
  /** Names of parameters beside those of the page. */
  readonly others?: readonly string[];
}

/** A list or a page of it. The body is made while it is sent. @throws InvalidInput for wrong parameters */
export function listAnswer<T extends { uri: string }>(listing: Listing<T>): Answer {
  const { address, parameters, others = [] } = listing;
  const { limit, after } = readPageParameters(parameters, { single: others });
  const from = after === undefined ? listing.records : olderThan(after, listing.records);
  const page = from.slice(0, limit);
  const last = page.at(-1);
  const more = last !== undefined && page.length < from.length;
  return {
    status: 200,
    headers: { ...PRIVATE, ...(more ? { link: nextLink(address, parameters, String(last.seq)) } : {}) },
    body: pieces(page, listing.body),
  };
}

/** `after` may be the place of a record that has been deleted since: clients delete what a page shows and go on. */
function olderThan<T extends { uri: string }>(
  after: string,
  records: readonly IndexedRecord<T>[],
): readonly IndexedRecord<T>[] {
  const seq = /^\d+$/.test(after) ? Number(after) : placeOf(after, records);
  return records.filter(({ seq: place }) => place < seq);
}

function placeOf<T extends { uri: string }>(after: string, records: readonly IndexedRecord<T>[]): number {
  const uri = readUri(after);
  const found = uri === undefined ? undefined : records.findLast(({ record }) => sameUri(record.uri, uri));
  if (found) return found.seq;
  throw new InvalidInput('The parameters of the URL are not valid', [
    {
      pointer: '?after',
      detail: 'after names no record of this list; follow the link to the next page instead',
    },
  ]);
}

async function* pieces<T>(
  page: readonly IndexedRecord<T>[],
  body: (record: T) => object | Promise<object>,
): AsyncGenerator<string> {
  const breathe = breather();
  let piece = '[';
  for (const [i, { record }] of page.entries()) {
    piece += (i > 0 ? ',' : '') + JSON.stringify(await body(record));
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
    await breathe();
  }
  yield `${piece}]`;
}
