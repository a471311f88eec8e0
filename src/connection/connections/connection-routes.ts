import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { invalidBody } from '../fields.js';
import { entityAnswer, requireMatch } from '../http/entity.js';
import { requestedUris } from '../http/request-target.js';
import type { CachedResource } from '../records/cached-resource.js';
import {
  type Connection,
  connectionBody,
  readConnection,
  readNewConnection,
  resourcesOf,
} from '../records/connection.js';
import type { RecordIndex } from '../records/record-index.js';
import type { Decision, RecordChange, Records } from '../records/records.js';
import { find, getRecord, listRecords, newUri, type RouteParts } from '../route-parts.js';
import { type Access, holderFor } from '../tokens/access.js';
import { sameUri, uriKey } from '../uri.js';

/** `/connection/` and `/connection/{uri}`. */
export function connectionRoutes(parts: RouteParts): Resource[] {
  const index = parts.records.connections;
  const connections = { name: 'connection', index, needs: ['read'], body: connectionBody } as const;
  return [
    {
      path: '/connection',
      cors: ANY_ORIGIN,
      methods: { GET: listRecords(parts, connections), POST: createConnection(parts) },
    },
    {
      path: '/connection/*',
      cors: ANY_ORIGIN,
      methods: {
        GET: getRecord(parts, connections),
        PUT: replaceConnection(parts),
        DELETE: deleteConnection(parts),
      },
    },
  ];
}

function meantBy(url: string, { mount }: RouteParts): string[] {
  return requestedUris(url, mount, 'connection');
}

function createConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts;
    const wanted = readNewConnection(await readJsonBody(req.raw, parts.bodyBytes));
    const holder = holderFor(access, wanted.holder);
    const connection = { ...wanted, holder, uri: newUri(parts, 'connection') } as Connection;
    await records.change(() => ({ changes: [{ kind: 'connection', put: connection }], result: undefined }));
    return entityAnswer(201, connectionBody(connection), { location: locationOf(connection, parts) });
  });
}

function locationOf({ uri }: Connection, { mount }: RouteParts): string {
  return `${mount.base}/connection/${encodeURIComponent(uri)}`;
}

function replaceConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts;
    const meant = meantBy(req.url, parts);
    const wanted = readConnection(await readJsonBody(req.raw, parts.bodyBytes));
    const replaced = await records.change(() => {
      const current = find(records.connections, meant, access, 'connection');
      requireMatch(req.header('if-match'), connectionBody(current));
      return replacement(records, current, wanted, access);
    });
    return entityAnswer(200, connectionBody(replaced));
  });
}

/** The changes that replace a connection and remove the resources that it names no longer. A new holder gets none of the old one's. */
async function replacement(
  records: Records,
  current: Connection,
  wanted: Connection,
  access: Access,
): Promise<Decision<Connection>> {
  if (!sameUri(wanted.uri, current.uri))
    throw invalidBody([{ pointer: '/uri', detail: 'uri is not that of the connection at this path' }]);
  const next = { ...wanted, uri: current.uri, holder: holderFor(access, wanted.holder) };
  const isMoved = !sameUri(next.holder, current.holder);
  const kept = new Set(isMoved ? [] : resourcesOf(next).map(uriKey));
  const dropped = naming(records.resources, current).filter(({ uri }) => !kept.has(uriKey(uri)));
  const changes = [
    { kind: 'connection', put: next } as const,
    ...(isMoved ? withoutConnection(records, current) : []),
  ];
  return { ...(await removal(records, changes, dropped)), result: next };
}

/** `DELETE` revokes a connection: the resources that were read for it are removed too, and its token from the files. */
function deleteConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts;
    const meant = meantBy(req.url, parts);
    await records.change(async () => {
      const current = find(records.connections, meant, access, 'connection');
      requireMatch(req.header('if-match'), connectionBody(current));
      const changes = [
        { kind: 'connection', remove: current } as const,
        ...withoutConnection(records, current),
      ];
      return { ...(await removal(records, changes, naming(records.resources, current))), erase: true };
    });
    return { status: 204 };
  });
}

/**
 * The changes by which a holder's invites name a connection no longer: `connection` is null while none exists
 * (specification of the service, "Invite"), and so is `exchange` if its record named the connection.
 */
function withoutConnection(records: Records, connection: Connection): RecordChange[] {
  const exchanges = naming(records.exchanges, connection);
  const gone = new Set(exchanges.map((exchange) => uriKey(exchange.uri)));
  return [
    ...exchanges.map((remove) => ({ kind: 'exchange', remove }) as const),
    ...naming(records.invites, connection).map((invite) => {
      const exchange = invite.exchange !== null && gone.has(uriKey(invite.exchange)) ? null : invite.exchange;
      return { kind: 'invite', put: { ...invite, connection: null, exchange }, replaces: invite } as const;
    }),
  ];
}

/** The records of its holder that name a connection. */
function naming<T extends { uri: string; holder: string; connection: string | null }>(
  index: RecordIndex<T>,
  { uri, holder }: Connection,
): T[] {
  return index
    .list({ holder })
    .map(({ record }) => record)
    .filter(({ connection }) => connection !== null && sameUri(connection, uri));
}

/** Adds the removal of resources, with their triples, to other changes. */
async function removal(
  records: Records,
  changes: readonly RecordChange[],
  dropped: readonly CachedResource[],
): Promise<Decision<undefined>> {
  const remove = (await Promise.all(dropped.map((resource) => records.triples(resource)))).flat();
  return {
    changes: [...changes, ...dropped.map((resource) => ({ kind: 'resource', remove: resource }) as const)],
    quads: await records.prepare({ remove }),
    result: undefined,
  };
}
