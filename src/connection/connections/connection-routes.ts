import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { invalidBody } from '../fields.js';
import { entityAnswer, requireMatch } from '../http/entity.js';
import { requestedUris } from '../http/request-target.js';
import {
  type Connection,
  connectionBody,
  readConnection,
  readNewConnection,
  resourcesOf,
} from '../records/connection.js';
import type { Decision } from '../records/records.js';
import { find, getRecord, listRecords, newUri, type RouteParts } from '../route-parts.js';
import { type Access, holderFor } from '../tokens/access.js';
import { sameUri, uriKey } from '../uri.js';
import { endConnection, naming, removal, withoutConnection } from './end-connection.js';

/** `/connection/` and `/connection/{uri}`. */
export function connectionRoutes(parts: RouteParts): Resource[] {
  const index = parts.records.connections;
  const connections = { name: 'connection', index, body: connectionBody } as const;
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
  return parts.authorised(async ({ req }, access) => {
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
  return parts.authorised(async ({ req }, access) => {
    const { records } = parts;
    const meant = meantBy(req.url, parts);
    const wanted = readConnection(await readJsonBody(req.raw, parts.bodyBytes));
    const replaced = await records.change(() => {
      const current = find(records.connections, meant, access, 'connection');
      requireMatch(req.header('if-match'), connectionBody(current));
      return replacement(parts, current, wanted, access);
    });
    return entityAnswer(200, connectionBody(replaced));
  });
}

/**
 * The changes that replace a connection and remove the resources that it names no longer. A new holder gets none of the old one's.
 * What was in the configuration may have been a secret.
 */
async function replacement(
  { records, clock }: RouteParts,
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
    ...(isMoved ? withoutConnection(records, current, clock.now()) : []),
  ];
  const isOther = JSON.stringify(next.configuration) !== JSON.stringify(current.configuration);
  const erase = isOther || dropped.length > 0;
  return { ...(await removal(records, changes, dropped)), erase, result: next };
}

function deleteConnection(parts: RouteParts): Handler {
  return parts.authorised(async ({ req }, access) => {
    const { records } = parts;
    const meant = meantBy(req.url, parts);
    await records.change(async () => {
      const current = find(records.connections, meant, access, 'connection');
      requireMatch(req.header('if-match'), connectionBody(current));
      return endConnection(records, current, parts.clock.now());
    });
    return { status: 204 };
  });
}
