import type * as z from 'zod';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Answer } from '../../lib/http/resource.js';
import { inPieces } from '../../lib/http/response/body.js';
import { entityTagsIn, textTag } from '../../lib/http/response/conditional.js';
import { check, wrongField } from '../fields.js';
import { conflict } from '../invites/invite-state.js';
import { type CachedResource, resourceBody } from '../records/cached-resource.js';
import { type Connection, connectionBody } from '../records/connection.js';
import { type Invite, inviteBody } from '../records/invite.js';
import type { ChangingRecords, Kind, Kinds, Records } from '../records/records.js';
import { holderFor } from '../tokens/access.js';
import { type Asked, type Handle, noSuch, type Service } from './route.js';

type Made = 'connection' | 'invite';
type Held = { readonly uri: string; readonly holder: string };

/** An answer with one record, and the entity tag that a client sends as `If-Match` when it changes the record. */
export function entityAnswer(body: object, status = 200, headers: Record<string, string> = {}): Answer {
  return { ...jsonAnswer(body, { etag: entityTag(body), ...headers }), status };
}

function entityTag(body: object): string {
  return textTag(JSON.stringify(body));
}

/** The JSON form of a record. */
export async function bodyOf<K extends Kind>(kind: K, record: Kinds[K], records: Records): Promise<object> {
  if (kind === 'connection') return connectionBody(record as Connection);
  if (kind === 'invite') return inviteBody(record as Invite);
  return resourceBody(record as CachedResource, await records.triples(record as CachedResource));
}

/** A list of records, whose bodies are made while it is sent. */
export function listAnswer<K extends Kind>({ records, pace }: Service, kind: K, list: readonly Kinds[K][]) {
  async function* texts(): AsyncGenerator<[string]> {
    for (const [i, record] of list.entries())
      yield [(i > 0 ? ',' : '[') + JSON.stringify(await bodyOf(kind, record, records))];
    yield [list.length > 0 ? ']\n' : '[]\n'];
  }
  return { ...jsonAnswer(undefined), body: inPieces(texts(), pace()), streams: true };
}

/** Answers with the records of a kind that the token may see. */
export function listing(kind: Kind): Handle {
  return async (service, { access }) => listAnswer(service, kind, await service.records.list(kind, access));
}

/** Answers with the record of a kind that is asked for. */
export function single(kind: Kind): Handle {
  return async ({ records }, asked) =>
    entityAnswer(await bodyOf(kind, await find(records, kind, asked), records));
}

/** The record asked for, if the token may see it. @throws Problem 404 */
export async function find<K extends Kind>(records: Records, kind: K, { meant, access }: Asked) {
  const found = await records.named(kind, meant, access.holder);
  // A document that was read for several connections is several resources: one that could be read is better.
  return found.find((one) => !('error' in one && one.error)) ?? found[0] ?? noSuch(kind);
}

/**
 * The same of a record that the request changes: a client must not overwrite a change that it has not seen (RFC 9110, section
 * 13.1.1). @throws Problem 404, and 412 when `If-Match` has entity tags, and none of them is that of the record
 */
export async function findMatching<K extends Kind>(records: Records, kind: K, asked: Asked) {
  const found = await find(records, kind, asked);
  const etag = entityTag(await bodyOf(kind, found, records));
  const ifMatch = asked.req.header('if-match')?.trim() ?? '*';
  if (ifMatch === '*' || entityTagsIn(ifMatch).includes(etag)) return found;
  throw new Problem(412, 'The record has changed since it was read; read it again', { headers: { etag } });
}

/** The body of a request. @throws Problem 400, 413, 415; InvalidInput */
export async function readBody<T>(schema: z.ZodType<T>, { config }: Service, { req }: Asked): Promise<T> {
  return check(schema, await readJsonBody(req, config.limits.bodyBytes));
}

/** Stores a new record. @throws Problem 409 */
export async function createRecord<K extends Made>(
  { change, records, base }: Service,
  { access }: Asked,
  kind: K,
  record: Kinds[K],
): Promise<Answer> {
  await change(async (now) => {
    // A record of another holder does not count: the refusal would tell that it exists.
    if ((await now.named(kind, [record.uri], access.holder)).length > 0)
      throw conflict('This uri is taken; leave it to the service');
    await now.put(kind, record);
  });
  const location = `${base}/${kind}/${encodeURIComponent(record.uri)}`;
  return entityAnswer(await bodyOf(kind, record, records), 201, { location });
}

/** Replaces the record asked for. `replace` is given what is `wanted`, with its own URI and its holder. @throws Problem */
export async function replaceRecord<K extends Made, W extends { uri: string | null; holder: string | null }>(
  { change, records }: Service,
  asked: Asked,
  kind: K,
  wanted: W,
  replace: (now: ChangingRecords, current: Kinds[K], wanted: W & Held) => Promise<Kinds[K]>,
): Promise<Answer> {
  const record = await change(async (now) => {
    const current = await findMatching(now, kind, asked);
    const { uri, holder: former } = current;
    if (wanted.uri !== null && wanted.uri !== uri)
      throw wrongField('uri', `is not that of the ${kind} at this path`);
    const holder = holderFor(asked.access, wanted.holder ?? former);
    if (holder !== former && (await now.get(kind, { holder, uri })))
      throw conflict(`This holder has another ${kind} with this uri`);
    return replace(now, current, { ...wanted, uri, holder });
  });
  return entityAnswer(await bodyOf(kind, record, records));
}
