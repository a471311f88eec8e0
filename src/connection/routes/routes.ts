import { parameter } from '../../lib/http/openapi-parts.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import { inviteLink } from '../invites/invite-link.js';
import { changeInvite, newInvite, refuseUnusable } from '../invites/invite-state.js';
import { type CachedResource, resourceBody } from '../records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from '../records/connection.js';
import { inviteSchema, newInviteSchema } from '../records/invite.js';
import { visibleTo } from '../tokens/access.js';
import { ended, replacedConnection, replacedInvite } from './changes.js';
import {
  bodyOf,
  create,
  entityAnswer,
  find,
  findMatching,
  getOne,
  list,
  listAnswer,
  replace,
} from './crud.js';
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
    summary: 'All connections',
    handle: list('connection'),
  },
  {
    ...{ method: 'POST', path: '/connection', id: 'createConnection' },
    ...{ takes: 'NewConnection', gives: 'Connection', status: 201 },
    summary: 'Make a connection',
    handle: create('connection', newConnectionSchema, ({ newUri }, wanted) => ({
      ...wanted,
      uri: newUri('connection'),
    })),
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
    handle: replace('connection', connectionSchema, (_, ...change) => replacedConnection(...change)),
  },
  {
    ...{ method: 'DELETE', path: '/connection/{uri}', id: 'deleteConnection', status: 204 },
    summary: 'Revoke a connection; what was read through it goes too',
    handle: async ({ records }, asked) => {
      await records.change(async (now) => ended(now, await findMatching(now, 'connection', asked)));
      return { status: 204 };
    },
  },
  {
    ...{ method: 'GET', path: '/holder/{uri}/connections', id: 'listHolderConnections' },
    ...{ gives: ['Connection'], parameters: [TYPE], refuses: [422] },
    summary: "A holder's connections, or, with `type=invite`, invites",
    handle: (service, asked) => {
      const type = parametersOf(asked.req.url).get('type') ?? 'connection';
      if (type === 'connection' || type === 'invite') return listOfHolder(type, service, asked);
      throw invalidParameters([{ pointer: '?type', detail: 'type must be one of connection, invite' }]);
    },
  },
  {
    ...{ method: 'GET', path: '/holder/{uri}/invites', id: 'listHolderInvites', gives: ['Invite'] },
    summary: "A holder's invites",
    handle: (service, asked) => listOfHolder('invite', service, asked),
  },
  {
    ...{ method: 'GET', path: '/invite', id: 'listInvites', gives: ['Invite'] },
    summary: 'All invites',
    handle: list('invite'),
  },
  {
    ...{ method: 'POST', path: '/invite', id: 'createInvite' },
    ...{ takes: 'NewInvite', gives: 'Invite', status: 201 },
    summary: 'Invite a holder',
    handle: create('invite', newInviteSchema, ({ newUri, clock }, wanted) =>
      newInvite(wanted, { uri: newUri('invite'), now: clock.now() }),
    ),
  },
  {
    ...{ method: 'GET', path: '/invite/{uri}/link', id: 'getInviteLink', gives: 'InviteLink' },
    summary: 'The address of the page on which the holder accepts',
    refuses: [409, 410],
    handle: async ({ records, base, clock, linkKey }, asked) => {
      const invite = await find(records, 'invite', asked);
      refuseUnusable(invite, clock.now());
      return entityAnswer(200, { inviteLink: inviteLink(base, invite, linkKey) });
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
    handle: replace('invite', inviteSchema, async ({ clock, newUri }, now, current, wanted) => {
      const { holder, connection: uri } = wanted;
      const connection = uri === null ? undefined : await now.get('connection', { holder, uri });
      const assigned = { now: clock.now(), uri: newUri('exchange'), connection };
      return replacedInvite(now, current, changeInvite(current, wanted, assigned));
    }),
  },
  {
    ...{ method: 'GET', path: '/exchange/{uri}', id: 'getExchange', gives: 'Exchange' },
    summary: 'What an accepted invite has led to',
    handle: getOne('exchange'),
  },
  {
    ...{ method: 'GET', path: '/resource', id: 'listResources', gives: ['Resource'] },
    summary: 'What is cached',
    handle: listResources,
  },
  {
    ...{ method: 'POST', path: '/resource/refresh', id: 'refreshResources', gives: ['Resource'] },
    summary: 'Read the sources of all connections again',
    handle: async (service, asked) => {
      const { records, refresh, clock, log } = service;
      const started = clock.now();
      const all = await records.list('connection', visibleTo(asked.access));
      const connected = all.filter(({ state }) => state === 'CONNECTED');
      await refresh(connected);
      // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
      log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
      return listResources(service, asked);
    },
  },
  {
    ...{ method: 'GET', path: '/resource/{uri}', id: 'getResource', gives: 'Resource' },
    summary: 'One cached resource',
    handle: async (service, { meant, access }) => {
      for (const uri of meant) {
        // A document that was read for several connections is several resources: one that could be read is better.
        const found = await service.records.named('resource', uri, access.holder);
        const best = found.find(({ error }) => error === null) ?? found[0];
        if (best) return entityAnswer(200, await resourceOf(best, service));
      }
      throw noSuch('resource');
    },
  },
];

/**
 * A holder's token finds nobody else; the operator's finds those with records, and gets an empty list for any other URI.
 * @throws Problem 404
 */
async function listOfHolder(type: 'connection' | 'invite', service: Service, { access, meant }: Asked) {
  const { holder: own } = access;
  if (own !== undefined && !meant.includes(own)) throw noSuch('holder');
  const lists = (own === undefined ? meant : [own]).map((holder) => service.records.list(type, { holder }));
  const listed = (await Promise.all(lists)).find(({ length }) => length > 0) ?? [];
  return listAnswer(service, listed, (record) => bodyOf(type, record));
}

async function listResources(service: Service, { access }: Asked) {
  const listed = await service.records.list('resource', visibleTo(access));
  return listAnswer(service, listed, (resource) => resourceOf(resource, service));
}

async function resourceOf(resource: CachedResource, { records }: Service): Promise<object> {
  return resourceBody(resource, await records.triples(resource));
}
