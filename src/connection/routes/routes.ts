import * as z from 'zod';
import { describeFeature, type OpenApiPart, parameter, schemaOf } from '../../lib/http/openapi-parts.js';
import { invalidParameters } from '../../lib/http/request/page-parameters.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import { inviteLink } from '../invites/invite-link.js';
import { type Assigned, changeInvite, newInvite, refuseUnusable } from '../invites/invite-state.js';
import { resourceSchema } from '../records/cached-resource.js';
import { connectionSchema, newConnectionSchema } from '../records/connection.js';
import { exchangeBody, exchangeSchema, inviteSchema, newInviteSchema } from '../records/invite.js';
import { holderFor } from '../tokens/access.js';
import {
  createRecord,
  entityAnswer,
  find,
  findMatching,
  listAnswer,
  listing,
  readBody,
  replaceRecord,
  single,
} from './record-answers.js';
import { type Asked, newUri, noSuch, type Route, route, type Service } from './route.js';

/** What a holder's list may be of: the specification documents the invites of a holder at the path of the connections. */
const TYPE = parameter('type', 'query', {
  ...{ type: 'string', enum: ['connection', 'invite'] },
  description: 'What is listed of the holder; connections when absent',
});

/** Everything that is asked for with a token. Of two paths that match, the first one is taken. */
export const ROUTES: readonly Route[] = [
  route('GET', '/connection', 'listConnections', listing('connection')),
  route('POST', '/connection', 'createConnection', async (service, asked) => {
    const wanted = await readBody(newConnectionSchema, service, asked);
    const held = { uri: newUri('connection', service), holder: holderFor(asked.access, wanted.holder) };
    return createRecord(service, asked, 'connection', { ...wanted, ...held });
  }),
  route('GET', '/connection/{uri}', 'getConnection', single('connection')),
  route('PUT', '/connection/{uri}', 'replaceConnection', async (service, asked) => {
    const wanted = await readBody(connectionSchema, service, asked);
    return replaceRecord(service, asked, 'connection', wanted, (now, ...both) => now.replace(...both));
  }),
  route('DELETE', '/connection/{uri}', 'deleteConnection', async ({ change }, asked) => {
    await change(async (now) => now.end(await findMatching(now, 'connection', asked)));
    return { status: 204 };
  }),
  route('GET', '/holder/{uri}/connections', 'listHolderConnections', listOfType, {
    ...{ parameters: [TYPE], refuses: [422] },
  }),
  route('GET', '/holder/{uri}/invites', 'listHolderInvites', (...given) => listOfHolder('invite', ...given)),
  route('GET', '/invite/{uri}/link', 'getInviteLink', getLink, { refuses: [409, 410] }),
  route('GET', '/invite', 'listInvites', listing('invite')),
  route('POST', '/invite', 'createInvite', async (service, asked) => {
    const wanted = await readBody(newInviteSchema, service, asked);
    const held = { ...wanted, holder: holderFor(asked.access, wanted.holder) };
    return createRecord(service, asked, 'invite', newInvite(held, assigned(service, 'invite')));
  }),
  route('GET', '/invite/{uri}', 'getInvite', single('invite')),
  route('PUT', '/invite/{uri}', 'replaceInvite', async (service, asked) => {
    const body = await readBody(inviteSchema, service, asked);
    return replaceRecord(service, asked, 'invite', body, async (now, current, wanted) => {
      const connection = await now.connectionOf(wanted);
      const next = changeInvite(current, wanted, { ...assigned(service, 'exchange'), connection });
      await now.remove('invite', current);
      return now.putInvite(next);
    });
  }),
  route('GET', '/exchange/{uri}', 'getExchange', async ({ records }, asked) => {
    const [invite] = await records.exchanged(asked.meant, asked.access.holder);
    const connection = invite && (await records.connectionOf(invite));
    return connection ? entityAnswer(exchangeBody(invite, connection)) : noSuch('exchange');
  }),
  route('GET', '/resource', 'listResources', listing('resource')),
  route('POST', '/resource/refresh', 'refreshResources', async (service, asked) => {
    const { records, refresh, clock, log } = service;
    const started = clock.now();
    const all = await records.list('connection', asked.access);
    const connected = all.filter(({ state }) => state === 'CONNECTED');
    await refresh(connected);
    // URLs and reasons are not logged: they are private to the holders, and may hold secrets.
    log.info({ connections: connected.length, durationMs: clock.now() - started }, 'refreshed resources');
    return listing('resource')(service, asked);
  }),
  route('GET', '/resource/{uri}', 'getResource', single('resource')),
];

/** @throws Problem 404; 409 and 410 when the link could not be used */
async function getLink(service: Service, asked: Asked) {
  const invite = await find(service.records, 'invite', asked);
  refuseUnusable(invite, service.clock.now());
  return entityAnswer({ inviteLink: inviteLink(service.base, invite, service.linkKey) });
}

/** @throws Problem 404; InvalidInput for another type */
function listOfType(service: Service, asked: Asked) {
  const type = parametersOf(asked.req.url).get('type') ?? 'connection';
  if (type === 'connection' || type === 'invite') return listOfHolder(type, service, asked);
  throw invalidParameters([{ pointer: '?type', detail: 'type must be one of connection, invite' }]);
}

function assigned(service: Service, to: 'invite' | 'exchange'): Assigned {
  return { now: service.clock.now(), uri: newUri(to, service) };
}

/** A holder's token finds nobody else (404); the operator's gets an empty list for a URI without records. */
async function listOfHolder(kind: 'connection' | 'invite', service: Service, { access, meant }: Asked) {
  const { holder: own } = access;
  if (own !== undefined && !meant.includes(own)) noSuch('holder');
  const lists = (own === undefined ? meant : [own]).map((holder) => service.records.list(kind, { holder }));
  const listed = (await Promise.all(lists)).find(({ length }) => length > 0) ?? [];
  return listAnswer(service, kind, listed);
}

/** What the routes take and give, by the names that they have there. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  NewConnection: newConnectionSchema,
  Connection: connectionSchema,
  NewInvite: newInviteSchema,
  Invite: inviteSchema,
  InviteLink: z.object({ inviteLink: z.string() }),
  Exchange: exchangeSchema,
  Resource: resourceSchema,
};

/** The paths of the service below its mount point, and the schemas that check their requests. */
export function describeConnectionApi(mount: string): OpenApiPart {
  const schemas = Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)]);
  const routes = ROUTES.map((route) => ({ ...route, path: mount + route.path }));
  const description = 'Who is connected to which source, invitations, and what is read through connections';
  const tag = { name: 'connection service', description };
  return describeFeature({ tag, routes, schemas: () => Object.fromEntries(schemas) });
}
