import { readJsonBody } from '../../lib/http/request/request-body.js';
import { invalidBody } from '../fields.js';
import { conflict } from '../invites/invite-state.js';
import { connectionBody } from '../records/connection.js';
import { inviteBody } from '../records/invite.js';
import type { Decision, Kinds, RecordReads, Stored } from '../records/records.js';
import { holderFor, visibleTo } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { entityAnswer, listAnswer, requireMatch } from './answers.js';
import { type Asked, noSuch, type Route, type Service } from './route.js';

/** The JSON form of the records that have addresses of their own. */
const BODIES = {
  connection: connectionBody,
  invite: inviteBody,
  exchange: (exchange: Kinds['exchange']): object => exchange,
};
type Addressed = keyof typeof BODIES;
type Handle = Route['handle'];

export function bodyOf<K extends Addressed>(kind: K, record: Kinds[K]): object {
  return (BODIES[kind] as (record: Kinds[K]) => object)(record);
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
  const body = (record: Kinds[typeof kind]) => bodyOf(kind, record);
  return (service, { req: { url }, access }) =>
    listAnswer(service, { kind, ...visibleTo(access), body, path: `/${kind}/`, url });
}

export function getOne(kind: Addressed): Handle {
  return async ({ records }, asked) =>
    entityAnswer(200, bodyOf(kind, (await find(records, kind, asked)).record));
}

/** `make`: the record that a body asks for; `headers`: of the answer. */
export function create<K extends 'connection' | 'invite', New extends { holder?: string | null | undefined }>(
  kind: K,
  read: (body: unknown) => New,
  make: (service: Service, wanted: New & { holder: string }) => Kinds[K],
  headers: (service: Service, record: Kinds[K]) => Record<string, string> = () => ({}),
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
    return entityAnswer(201, bodyOf(kind, record), { location, ...headers(service, record) });
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
