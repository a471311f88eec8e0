import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Answer } from '../../lib/http/resource.js';
import { entityTagsIn } from '../../lib/http/response/conditional.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { inPieces } from '../../lib/http/response/paced-body.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import { invalidBody } from '../fields.js';
import { conflict } from '../invites/invite-state.js';
import { connectionBody } from '../records/connection.js';
import type { Decision, Kinds, RecordReads, Stored } from '../records/records.js';
import { holderFor, visibleTo } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { type Asked, noSuch, type Route, type Service } from './route.js';

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

/** A list, whose members are made while it is sent. */
export function listAnswer<T>(
  { pace }: Service,
  listed: readonly Stored<T>[],
  body: (record: T) => object | Promise<object>,
): Answer {
  async function* texts(): AsyncGenerator<[string]> {
    yield ['['];
    for (const [i, { record }] of listed.entries())
      yield [(i > 0 ? ',' : '') + JSON.stringify(await body(record))];
    yield [']\n'];
  }
  return { status: 200, headers: PRIVATE, body: inPieces(texts(), pace()), streams: true };
}

/** The records that have addresses of their own. */
type Addressed = 'connection' | 'invite' | 'exchange';
type Handle = Route['handle'];

/** The JSON form of a record: URIs of connections are percent-encoded. */
export function bodyOf<K extends Addressed>(kind: K, record: Kinds[K]): object {
  return kind === 'connection' ? connectionBody(record as Kinds['connection']) : record;
}

/** The first of the records with the URIs asked for that the token may see. @throws Problem 404 when there is none */
export async function find<K extends Addressed>(
  records: RecordReads,
  kind: K,
  { meant, access }: Asked,
): Promise<Stored<Kinds[K]>> {
  for (const uri of meant) {
    const [found] = await records.named(kind, uri, access.holder);
    if (found) return found;
  }
  throw noSuch(kind);
}

export function list(kind: 'connection' | 'invite'): Handle {
  return async (service, { access }) =>
    listAnswer(service, await service.records.list(kind, visibleTo(access)), (record) =>
      bodyOf(kind, record),
    );
}

export function getOne(kind: Addressed): Handle {
  return async ({ records }, asked) =>
    entityAnswer(200, bodyOf(kind, (await find(records, kind, asked)).record));
}

/** `make`: the record that a body asks for. */
export function create<K extends 'connection' | 'invite', New extends { holder?: string | null | undefined }>(
  kind: K,
  read: (body: unknown) => New,
  make: (service: Service, wanted: New & { holder: string }) => Kinds[K],
): Handle {
  return async (service, { req, access }) => {
    const { records, base, bodyBytes } = service;
    const wanted = read(await readJsonBody(req.raw, bodyBytes));
    const record = make(service, { ...wanted, holder: holderFor(access, wanted.holder ?? undefined) });
    await records.change(async (now) => {
      // A record of another holder does not count: the refusal would tell that it exists.
      if ((await now.named(kind, record.uri, access.holder)).length > 0)
        throw conflict('This uri is taken; leave it to the service');
      return { changes: [{ kind, put: record } as never], result: undefined };
    });
    const location = `${base}/${kind}/${encodeURIComponent(record.uri)}`;
    return entityAnswer(201, bodyOf(kind, record), { location });
  };
}

/** `decide`: what replacing a record by what a body asks for comes to, within the change. */
export function replace<
  K extends 'connection' | 'invite',
  Wanted extends { uri: string | null; holder: string | null },
>(
  kind: K,
  read: (body: unknown) => Wanted,
  decide: (
    service: Service,
    now: RecordReads,
    current: Stored<Kinds[K]>,
    wanted: Wanted & { uri: string; holder: string },
  ) => Promise<Decision<Kinds[K]>>,
): Handle {
  return async (service, asked) => {
    const { req, access } = asked;
    const wanted = read(await readJsonBody(req.raw, service.bodyBytes));
    const record = await service.records.change(async (now) => {
      const current = await find(now, kind, asked);
      requireMatch(req.header('if-match'), bodyOf(kind, current.record));
      const { uri, holder: former } = current.record;
      if (wanted.uri !== null && !sameUri(wanted.uri, uri))
        throw invalidBody([{ pointer: '/uri', detail: `uri is not that of the ${kind} at this path` }]);
      const holder = holderFor(access, wanted.holder ?? former);
      if (!sameUri(holder, former) && (await now.get(kind, { holder, uri })))
        throw conflict(`This holder has another ${kind} with this uri`);
      return decide(service, now, current, { ...wanted, uri, holder });
    });
    return entityAnswer(200, bodyOf(kind, record));
  };
}
