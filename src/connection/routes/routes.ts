import { parameter } from '../../lib/http/openapi-parts.js';
import { invalidParameters, readPageParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import { check } from '../fields.js';
import { inviteLink } from '../invites/invite-link.js';
import { changeInvite, newInvite, refuseUnusable } from '../invites/invite-state.js';
import { type CachedResource, resourceBody } from '../records/cached-resource.js';
import { connectionSchema, newConnectionSchema, readConnection } from '../records/connection.js';
import { inviteSchema, newInviteSchema } from '../records/invite.js';
import type { Kinds, RecordReads } from '../records/records.js';
import { visibleTo } from '../tokens/access.js';
import { sameUri } from '../uri.js';
import { entityAnswer, listAnswer, requireMatch } from './answers.js';
import { ended, replacedConnection, replacedInvite } from './changes.js';
import { bodyOf, create, find, getOne, list, replace } from './crud.js';
import { type Asked, noSuch, type Route, type Service } from './route.js';

/** What a holder's list may be of: the specification documents the invites of a holder at the path of the connections. */
const TYPE = parameter('type', 'query', {
  ...{ type: 'string', enum: ['connection', 'invite'] },
  description: 'What is listed of the holder; connections when absent',
});

/** Everything that is asked for with a token. Of two paths that match, the first one is taken. */
export const ROUTES: readonly Route[] = [
  {
    ...{ method: 'GET', path: '/connection', id: 'listConnections', gives: ['Connection'] },
    summary: 'Connections, newest first',
    handle: list('connection'),
  },
  {
    ...{ method: 'POST', path: '/connection', id: 'createConnection' },
    ...{ takes: 'NewConnection', gives: 'Connection', status: 201 },
    summary: 'Make a connection',
    handle: create(
      'connection',
      (body) => readConnection(newConnectionSchema, body),
      ({ newUri }, wanted) => ({ ...wanted, uri: newUri('connection') }),
    ),
  },
  {
    ...{ method: 'GET', path: '/connection/{uri}', id: 'getConnection', gives: 'Connection' },
    summary: 'One connection',
    handle: getOne('connection'),
  },
  {
    ...{ method: 'PUT', path: '/connection/{uri}', id: 'replaceConnection' },
    ...{ takes: 'Connection', gives: 'Connection' },
    summary: 'Replace a connection',
    handle: replace(
      'connection',
      (body) => readConnection(connectionSchema, body),
      ({ clock }, now, current, wanted) => replacedConnection(now, current, wanted, clock.now()),
    ),
  },
  {
    ...{ method: 'DELETE', path: '/connection/{uri}', id: 'deleteConnection', status: 204 },
    summary: 'Revoke a connection; what was read through it goes too',
    handle: async ({ records, clock }, asked) => {
      await records.change(async (now) => {
        const { record } = await find(now, 'connection', asked);
        requireMatch(asked.req.header('if-match'), bodyOf('connection', record));
        return ended(now, record, clock.now());
      });
      return { status: 204 };
    },
  },
  {
    ...{ method: 'GET', path: '/holder/{uri}/connections', id: 'listHolderConnections' },
    ...{ gives: ['Connection'], parameters: [TYPE] },
    summary: "A holder's connections, or, with `type=invite`, invites",
    handle: (service, asked) => listOfHolder(service, asked, 'connections'),
  },
  {
    ...{ method: 'GET', path: '/holder/{uri}/invites', id: 'listHolderInvites', gives: ['Invite'] },
    summary: "A holder's invites",
    handle: (service, asked) => listOfHolder(service, asked, 'invites'),
  },
  {
    ...{ method: 'GET', path: '/invite', id: 'listInvites', gives: ['Invite'] },
    summary: 'Invites, newest first',
    handle: list('invite'),
  },
  {
    ...{ method: 'POST', path: '/invite', id: 'createInvite' },
    ...{ takes: 'NewInvite', gives: 'Invite', status: 201 },
    summary: 'Invite a holder',
    handle: create(
      'invite',
      (body) => check(newInviteSchema, body),
      ({ newUri, clock }, wanted) => newInvite(wanted, { uri: newUri('invite'), now: clock.now() }),
      // Of the registered relations (RFC 8288), the one for a page on which people change what the link is about (RFC 6861).
      ({ base, linkKey }, made) => ({ link: `<${inviteLink(base, made, linkKey)}>; rel="edit-form"` }),
    ),
  },
  {
    ...{ method: 'GET', path: '/invite/{uri}/link', id: 'getInviteLink', gives: 'InviteLink' },
    summary: 'The address of the page on which the holder accepts',
    refuses: [409, 410],
    handle: async ({ records, base, clock, linkKey }, asked) => {
      const { record } = await find(records, 'invite', asked);
      refuseUnusable(record, clock.now());
      return entityAnswer(200, { inviteLink: inviteLink(base, record, linkKey) });
    },
  },
  {
    ...{ method: 'GET', path: '/invite/{uri}', id: 'getInvite', gives: 'Invite' },
    summary: 'One invite',
    handle: getOne('invite'),
  },
  {
    ...{ method: 'PUT', path: '/invite/{uri}', id: 'replaceInvite', takes: 'Invite', gives: 'Invite' },
    summary: 'Replace an invite',
    handle: replace(
      'invite',
      (body) => check(inviteSchema, body),
      async ({ clock, newUri }, now, current, wanted) => {
        const { holder, connection: uri } = wanted;
        const connection = uri === null ? undefined : (await now.get('connection', { holder, uri }))?.record;
        const assigned = { now: clock.now(), uri: newUri('exchange'), connection };
        return replacedInvite(now, current, changeInvite(current.record, wanted, assigned));
      },
    ),
  },
  {
    ...{ method: 'GET', path: '/exchange/{uri}', id: 'getExchange', gives: 'Exchange' },
    summary: 'What an accepted invite has led to',
    handle: getOne('exchange'),
  },
  {
    ...{ method: 'GET', path: '/resource', id: 'listResources', gives: ['Resource'] },
    summary: 'What is cached',
    handle: (service, asked) => listOfResources(service, asked),
  },
  {
    ...{ method: 'POST', path: '/resource/refresh', id: 'refreshResources', gives: ['Resource'] },
    summary: 'Read the sources of all connections again',
    refuses: [422],
    handle: async (service, asked) => {
      const { records, refresh, clock, log } = service;
      // Checked before the refresh, so that a request with wrong parameters has no effect.
      readPageParameters(parametersOf(asked.req.url));
      const started = clock.now();
      const all = await records.list('connection', visibleTo(asked.access));
      const connected = all.map(({ record }) => record).filter(({ state }) => state === 'CONNECTED');
      await refresh(connected);
      // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
      log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
      return listOfResources(service, asked, started);
    },
  },
  {
    ...{ method: 'GET', path: '/resource/{uri}', id: 'getResource', gives: 'Resource' },
    summary: 'One cached resource',
    handle: async ({ records }, { meant, access }) => {
      for (const uri of meant) {
        const found = await records.named('resource', uri, access.holder);
        const [best] = found.map(({ record }) => record).sort(better);
        if (best) return entityAnswer(200, await resourceOf(best, records));
      }
      throw noSuch('resource');
    },
  },
];

/**
 * A holder's token finds nobody else; the operator's finds those with records, and gets an empty list for any other URI.
 * @throws Problem 404
 */
async function listOfHolder(
  service: Service,
  { req: { url }, access, meant }: Asked,
  path: 'connections' | 'invites',
) {
  const type = parametersOf(url).get('type') ?? 'connection';
  const kind = path === 'invites' || type === 'invite' ? 'invite' : 'connection';
  const [own] = access.holder === undefined ? [] : meant.filter((uri) => sameUri(uri, access.holder ?? ''));
  if (access.holder !== undefined && own === undefined) throw noSuch('holder');
  if (path === 'connections' && type !== kind)
    throw invalidParameters([{ pointer: '?type', detail: 'type must be one of connection, invite' }]);
  let holder = own ?? meant.at(-1) ?? '';
  for (const uri of own ? [] : meant.toReversed())
    if ((await service.records.list(kind, { holder: uri })).length > 0) holder = uri;
  return listAnswer(service, {
    ...{ kind, holder, url, body: (record: Kinds[typeof kind]) => bodyOf(kind, record) },
    path: `/holder/${encodeURIComponent(holder)}/${path}`,
    others: path === 'connections' ? ['type'] : [],
  });
}

/** `refreshedSince`: when the refresh began that this list answers, in ms since the epoch. */
function listOfResources(service: Service, { req: { url }, access }: Asked, refreshedSince?: number) {
  const body = (resource: CachedResource) => resourceOf(resource, service.records, refreshedSince);
  return listAnswer(service, { kind: 'resource', ...visibleTo(access), body, path: '/resource/', url });
}

/**
 * A document that was read for several connections is several resources. The best is the one that was read last, and one
 * whose last attempt failed only where there is no other.
 */
function better(one: CachedResource, other: CachedResource): number {
  const stale = Number(one.error !== null) - Number(other.error !== null);
  return stale || (other.refreshed ?? 0) - (one.refreshed ?? 0);
}

async function resourceOf(
  resource: CachedResource,
  records: RecordReads,
  refreshedSince = 0,
): Promise<object> {
  const { connection: uri, holder, refreshed, error } = resource;
  // A list is sent piece by piece, so the connection may be gone by now.
  const state = (await records.get('connection', { holder, uri }))?.record.state ?? 'gone';
  let skipped: string | undefined;
  if (state !== 'CONNECTED')
    skipped = `its connection is ${state}; a refresh reads the sources of CONNECTED ones`;
  // What was read for a connection is dropped when the connection is changed before it is stored.
  else if (error === null && (refreshed ?? 0) < refreshedSince)
    skipped = 'its connection was changed during this refresh; refresh again';
  return resourceBody(resource, await records.triples(resource), skipped);
}
