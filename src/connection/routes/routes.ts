import { parameter } from '../../lib/http/openapi-parts.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import { inviteLink } from '../invites/invite-link.js';
import { changeInvite, newInvite, refuseUnusable } from '../invites/invite-state.js';
import { resourceBody } from '../records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from '../records/connection.js';
import { inviteSchema, newInviteSchema } from '../records/invite.js';
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
import { type Asked, noSuch, type Route, route, type Service } from './route.js';

/** What a holder's list may be of: the specification documents the invites of a holder at the path of the connections. */
const TYPE = parameter('type', 'query', {
  ...{ type: 'string', enum: ['connection', 'invite'] },
  description: 'What is listed of the holder; connections when absent',
});

/** Everything that is asked for with a token. Of two paths that match, the first one is taken. */
export const ROUTES: readonly Route[] = [
  route('GET', '/connection', 'listConnections', { gives: ['Connection'] }, list('connection')),
  route(
    'POST',
    '/connection',
    'createConnection',
    { takes: 'NewConnection', gives: 'Connection', status: 201 },
    create('connection', newConnectionSchema, ({ newUri }, wanted) => ({
      ...wanted,
      uri: newUri('connection'),
    })),
  ),
  route('GET', '/connection/{uri}', 'getConnection', { gives: 'Connection' }, getOne('connection')),
  route(
    'PUT',
    '/connection/{uri}',
    'replaceConnection',
    { takes: 'Connection', gives: 'Connection' },
    replace('connection', connectionSchema, (_, ...change) => replacedConnection(...change)),
  ),
  route('DELETE', '/connection/{uri}', 'deleteConnection', { status: 204 }, async ({ change }, asked) => {
    await change(async (now) => ended(now, await findMatching(now, 'connection', asked)));
    return { status: 204 };
  }),
  route(
    'GET',
    '/holder/{uri}/connections',
    'listHolderConnections',
    { gives: ['Connection'], parameters: [TYPE], refuses: [422] },
    (service, asked) => {
      const type = parametersOf(asked.req.url).get('type') ?? 'connection';
      if (type === 'connection' || type === 'invite') return listOfHolder(type, service, asked);
      throw invalidParameters([{ pointer: '?type', detail: 'type must be one of connection, invite' }]);
    },
  ),
  route('GET', '/holder/{uri}/invites', 'listHolderInvites', { gives: ['Invite'] }, (...given) =>
    listOfHolder('invite', ...given),
  ),
  route('GET', '/invite', 'listInvites', { gives: ['Invite'] }, list('invite')),
  route(
    'POST',
    '/invite',
    'createInvite',
    { takes: 'NewInvite', gives: 'Invite', status: 201 },
    create('invite', newInviteSchema, ({ newUri, clock }, wanted) =>
      newInvite(wanted, { uri: newUri('invite'), now: clock.now() }),
    ),
  ),
  route(
    'GET',
    '/invite/{uri}/link',
    'getInviteLink',
    { gives: 'InviteLink', refuses: [409, 410] },
    async ({ records, base, clock, linkKey }, asked) => {
      const invite = await find(records, 'invite', asked);
      refuseUnusable(invite, clock.now());
      return entityAnswer(200, { inviteLink: inviteLink(base, invite, linkKey) });
    },
  ),
  route('GET', '/invite/{uri}', 'getInvite', { gives: 'Invite' }, getOne('invite')),
  route(
    'PUT',
    '/invite/{uri}',
    'replaceInvite',
    { takes: 'Invite', gives: 'Invite' },
    replace('invite', inviteSchema, async ({ clock, newUri }, now, current, wanted) => {
      const { holder, connection: uri } = wanted;
      const connection = uri === null ? undefined : await now.get('connection', { holder, uri });
      const assigned = { now: clock.now(), uri: newUri('exchange'), connection };
      return replacedInvite(now, current, changeInvite(current, wanted, assigned));
    }),
  ),
  route('GET', '/exchange/{uri}', 'getExchange', { gives: 'Exchange' }, getOne('exchange')),
  route('GET', '/resource', 'listResources', { gives: ['Resource'] }, listResources),
  route('POST', '/resource/refresh', 'refreshResources', { gives: ['Resource'] }, async (service, asked) => {
    const { records, refresh, clock, log } = service;
    const started = clock.now();
    const all = await records.list('connection', asked.access);
    const connected = all.filter(({ state }) => state === 'CONNECTED');
    await refresh(connected);
    // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
    log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
    return listResources(service, asked);
  }),
  route('GET', '/resource/{uri}', 'getResource', { gives: 'Resource' }, async ({ records }, asked) => {
    for (const uri of asked.meant) {
      // A document that was read for several connections is several resources: one that could be read is better.
      const found = await records.named('resource', uri, asked.access.holder);
      const best = found.find(({ error }) => error === null) ?? found[0];
      if (best) return entityAnswer(200, resourceBody(best, await records.triples(best)));
    }
    throw noSuch('resource');
  }),
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
  const { records } = service;
  const listed = await records.list('resource', access);
  return listAnswer(service, listed, async (one) => resourceBody(one, await records.triples(one)));
}
