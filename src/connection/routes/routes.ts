import { parameter } from '../../lib/http/openapi-parts.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import { inviteLink } from '../invites/invite-link.js';
import { changeInvite, newInvite, refuseUnusable } from '../invites/invite-state.js';
import { resourceBody } from '../records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from '../records/connection.js';
import { inviteSchema, newInviteSchema } from '../records/invite.js';

import { endConnection, replaceConnection, replaceInvite } from './changes.js';
import { bodyOf, entityAnswer, find, findMatching, listAnswer, recordRoutes } from './record-routes.js';
import { type Asked, noSuch, type Route, route, type Service } from './route.js';

/** What a holder's list may be of: the specification documents the invites of a holder at the path of the connections. */
const TYPE = parameter('type', 'query', {
  ...{ type: 'string', enum: ['connection', 'invite'] },
  description: 'What is listed of the holder; connections when absent',
});
const HOLDERS = { gives: ['Connection'], parameters: [TYPE], refuses: [422] } as const;

/** Everything that is asked for with a token. Of two paths that match, the first one is taken. */
export const ROUTES: readonly Route[] = [
  ...recordRoutes('connection', {
    newSchema: newConnectionSchema,
    make: (wanted, { uri }) => ({ ...wanted, uri }),
    schema: connectionSchema,
    replace: replaceConnection,
  }),
  route('DELETE', '/connection/{uri}', 'deleteConnection', { status: 204 }, async ({ change }, asked) => {
    await change(async (now) => endConnection(now, await findMatching(now, 'connection', asked)));
    return { status: 204 };
  }),
  route('GET', '/holder/{uri}/connections', 'listHolderConnections', HOLDERS, (service, asked) => {
    const type = parametersOf(asked.req.url).get('type') ?? 'connection';
    if (type === 'connection' || type === 'invite') return listOfHolder(type, service, asked);
    throw invalidParameters([{ pointer: '?type', detail: 'type must be one of connection, invite' }]);
  }),
  route('GET', '/holder/{uri}/invites', 'listHolderInvites', { gives: ['Invite'] }, (...given) =>
    listOfHolder('invite', ...given),
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
  ...recordRoutes('invite', {
    newSchema: newInviteSchema,
    make: newInvite,
    schema: inviteSchema,
    async replace(now, current, wanted, assigned) {
      const { holder, connection: uri } = wanted;
      const connection = uri === null ? undefined : await now.get('connection', { holder, uri });
      return replaceInvite(now, current, changeInvite(current, wanted, { ...assigned, connection }));
    },
  }),
  route('GET', '/exchange/{uri}', 'getExchange', { gives: 'Exchange' }, async ({ records }, asked) =>
    entityAnswer(200, await find(records, 'exchange', asked)),
  ),
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
