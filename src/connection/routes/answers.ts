import { Problem } from '../../lib/http/problem.js';
import {
  invalidParameters,
  nextLink,
  pageSchemaOf,
  readPageParameters,
} from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer } from '../../lib/http/resource.js';
import { entityTagsIn } from '../../lib/http/response/conditional.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { inPieces } from '../../lib/http/response/paced-body.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import type { Kind, Kinds } from '../records/records.js';
import { readUri } from '../uri.js';
import type { Service } from './route.js';

/** Headers of JSON that depends on the token: no cache may store it. */
const PRIVATE: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
};

/** An answer with one record, and the entity tag that a client sends as `If-Match` when it changes the record. */
export function entityAnswer(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...PRIVATE, etag: entityTag(body), ...headers }, body: jsonText(body) };
}

/**
 * Checks `If-Match`, so that a client does not overwrite a change that it has not seen (RFC 9110, section 13.1.1).
 * `body`: the current record. @throws Problem 412 when no entity tag of the client matches it
 */
export function requireMatch(ifMatch: string | undefined, body: object): void {
  const etag = entityTag(body);
  if (ifMatch === undefined || ifMatch.trim() === '*' || entityTagsIn(ifMatch).includes(etag)) return;
  throw new Problem(412, 'The record has changed since it was read; read it again', { headers: { etag } });
}

function entityTag(body: object): string {
  return textTag(JSON.stringify(body));
}

export const pageSchema = pageSchemaOf({
  members: 'records',
  after: 'only records older than this one: the uri of one, or what the link to the next page gives',
});

interface Listing<K extends Kind> {
  readonly kind: K;
  /** Whose records are listed; everybody's when absent. */
  readonly holder?: string | undefined;
  readonly body: (record: Kinds[K]) => object | Promise<object>;
  /** Path of the list below the mount point. */
  readonly path: string;
  /** The URL of the request. */
  readonly url: string;
  /** Names of parameters beside those of the page. */
  readonly others?: readonly string[];
}

/** A list, or a page of it, the newest first, whose body is made while it is sent. @throws InvalidInput for wrong parameters */
export async function listAnswer<K extends Kind>(
  { base, pace, records }: Service,
  { kind, holder, body, path, url, others = [] }: Listing<K>,
): Promise<Answer> {
  const parameters = parametersOf(url);
  const { limit, after } = readPageParameters(parameters, { single: others });
  // The link to the next page holds a number: unlike a URI, it still works when the client has deleted the record meanwhile.
  const isNumber = after === undefined || /^\d+$/.test(after);
  const [last] = isNumber
    ? [{ seq: Number(after ?? Number.MAX_SAFE_INTEGER) }]
    : await records.named(kind, readUri(after) ?? '', holder);
  if (!last) {
    const detail = 'after names no record of this list; follow the link to the next page instead';
    throw invalidParameters([{ pointer: '?after', detail }]);
  }
  const listed = await records.list(kind, { holder });
  const from = listed.findIndex(({ seq }) => seq < last.seq);
  const rest = from < 0 ? [] : listed.slice(from);
  const page = rest.slice(0, limit);
  const next = page.length < rest.length ? String(page.at(-1)?.seq) : undefined;
  async function* texts(): AsyncGenerator<[string]> {
    yield ['['];
    for (const [i, { record }] of page.entries())
      yield [(i > 0 ? ',' : '') + JSON.stringify(await body(record))];
    yield [']\n'];
  }
  return {
    status: 200,
    headers: { ...PRIVATE, ...nextLink(base + path, parameters, next) },
    body: inPieces(texts(), pace()),
    streams: true,
  };
}
