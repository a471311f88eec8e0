import { Problem } from '../../lib/http/problem.js';
import type { Answer } from '../../lib/http/resource.js';
import { entityTagsIn } from '../../lib/http/response/conditional.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { inPieces } from '../../lib/http/response/paced-body.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import { connectionBody } from '../records/connection.js';
import type { Kinds, Records } from '../records/records.js';
import { type Asked, noSuch, type Service } from './route.js';

/** Headers of JSON that depends on the token: no cache may store it. */
const PRIVATE: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
};

/** An answer with one record, and the entity tag that a client sends as `If-Match` when it changes the record. */
export function entityAnswer(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...PRIVATE, etag: entityTag(body), ...headers }, body: jsonText(body) };
}

/** A list, whose members are made while it is sent. */
export function listAnswer<T>(
  { pace }: Service,
  listed: readonly T[],
  body: (record: T) => object | Promise<object>,
): Answer {
  async function* texts(): AsyncGenerator<[string]> {
    yield ['['];
    for (const [i, record] of listed.entries())
      yield [(i > 0 ? ',' : '') + JSON.stringify(await body(record))];
    yield [']\n'];
  }
  return { status: 200, headers: PRIVATE, body: inPieces(texts(), pace()), streams: true };
}

/** The records that have addresses of their own. */
export type Addressed = 'connection' | 'invite' | 'exchange';

/** The JSON form of a record: URIs of connections are percent-encoded. */
export function bodyOf<K extends Addressed>(kind: K, record: Kinds[K]): object {
  return kind === 'connection' ? connectionBody(record as Kinds['connection']) : record;
}

/** The first of the records with the URIs asked for that the token may see. @throws Problem 404 when there is none */
export async function find<K extends Addressed>(
  records: Records,
  kind: K,
  { meant, access }: Asked,
): Promise<Kinds[K]> {
  for (const uri of meant) {
    const [found] = await records.named(kind, uri, access.holder);
    if (found) return found;
  }
  throw noSuch(kind);
}

/**
 * The same of a record that the request changes: a client must not overwrite a change that it has not seen (RFC 9110, section
 * 13.1.1). @throws Problem 412 when `If-Match` has entity tags, and none of them is that of the record
 */
export async function findMatching<K extends Addressed>(
  records: Records,
  kind: K,
  asked: Asked,
): Promise<Kinds[K]> {
  const found = await find(records, kind, asked);
  const etag = entityTag(bodyOf(kind, found));
  const ifMatch = asked.req.header('if-match')?.trim() ?? '*';
  if (ifMatch === '*' || entityTagsIn(ifMatch).includes(etag)) return found;
  throw new Problem(412, 'The record has changed since it was read; read it again', { headers: { etag } });
}

function entityTag(body: object): string {
  return textTag(JSON.stringify(body));
}
