import type * as z from 'zod';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { RouteRequest } from '../../lib/http/resource.js';
import { check, invalidBody } from '../fields.js';
import { type Assigned, conflict } from '../invites/invite-state.js';
import type { Decision, Kinds, Records } from '../records/records.js';
import { holderFor } from '../tokens/access.js';
import { bodyOf, entityAnswer, find, findMatching, listAnswer } from './answers.js';
import { type Handle, type Route, route, type Service } from './route.js';

type Kind = 'connection' | 'invite';
type Held<T> = T & { readonly holder: string };

/** In what the records of a kind differ from others: the bodies of `POST` and `PUT`, and what these come to. */
interface Rules<K extends Kind, New, Wanted> {
  readonly newSchema: z.ZodType<New>;
  readonly make: (wanted: Held<New>, assigned: Assigned) => Kinds[K];
  readonly schema: z.ZodType<Wanted>;
  /** Decided within the change. `assigned`: for an exchange that it leads to. */
  readonly replace: (
    now: Records,
    current: Kinds[K],
    wanted: Held<Wanted & { uri: string }>,
    assigned: Assigned,
  ) => Promise<Decision<Kinds[K]>>;
}

/** The routes by which records of a kind are listed, made, read and replaced. */
export function recordRoutes<
  K extends Kind,
  New extends { holder?: string | null | undefined },
  Wanted extends { uri: string | null; holder: string | null },
>(kind: K, { newSchema, make, schema, replace }: Rules<K, New, Wanted>): Route[] {
  const name = kind === 'connection' ? 'Connection' : 'Invite';
  const [all, one] = [`/${kind}`, `/${kind}/{uri}`];
  const assigned = ({ clock, newUri }: Service, of: Kind | 'exchange') => ({
    ...{ now: clock.now(), uri: newUri(of) },
  });

  const list: Handle = async (service, { access }) => {
    const listed = await service.records.list(kind, access);
    return listAnswer(service, listed, (record) => bodyOf(kind, record));
  };
  const create: Handle = async (service, { req, access }) => {
    const wanted = await read(newSchema, req, service);
    const holder = holderFor(access, wanted.holder ?? undefined);
    const record = make({ ...wanted, holder }, assigned(service, kind));
    await service.change(async (now) => {
      // A record of another holder does not count: the refusal would tell that it exists.
      if ((await now.named(kind, record.uri, access.holder)).length > 0)
        throw conflict('This uri is taken; leave it to the service');
      return { changes: [{ kind, put: record } as never], result: undefined };
    });
    const location = `${service.base}/${kind}/${encodeURIComponent(record.uri)}`;
    return entityAnswer(201, bodyOf(kind, record), { location });
  };
  const getOne: Handle = async ({ records }, asked) =>
    entityAnswer(200, bodyOf(kind, await find(records, kind, asked)));
  const put: Handle = async (service, asked) => {
    const wanted = await read(schema, asked.req, service);
    const record = await service.change(async (now) => {
      const current = await findMatching(now, kind, asked);
      const { uri, holder: former } = current;
      if (wanted.uri !== null && wanted.uri !== uri)
        throw invalidBody({ pointer: '/uri', detail: `uri is not that of the ${kind} at this path` });
      const holder = holderFor(asked.access, wanted.holder ?? former);
      if (holder !== former && (await now.get(kind, { holder, uri })))
        throw conflict(`This holder has another ${kind} with this uri`);
      return replace(now, current, { ...wanted, uri, holder }, assigned(service, 'exchange'));
    });
    return entityAnswer(200, bodyOf(kind, record));
  };
  return [
    route('GET', all, `list${name}s`, { gives: [name] }, list),
    route('POST', all, `create${name}`, { takes: `New${name}`, gives: name, status: 201 }, create),
    route('GET', one, `get${name}`, { gives: name }, getOne),
    route('PUT', one, `replace${name}`, { takes: name, gives: name }, put),
  ];
}

async function read<T>(schema: z.ZodType<T>, { raw }: RouteRequest, { bodyBytes }: Service): Promise<T> {
  return check(schema, await readJsonBody(raw, bodyBytes));
}
