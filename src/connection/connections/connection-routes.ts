import { InvalidInput } from '../../lib/faults.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, Resource } from '../../lib/http/resource.js';
import { entityAnswer, requireMatch } from '../http/entity.js';
import { listAnswer } from '../http/listing.js';
import { requestedUris } from '../http/request-target.js';
import type { CachedResource } from '../records/cached-resource.js';
import {
  type Connection,
  connectionBody,
  readConnection,
  readNewConnection,
  resourcesOf,
} from '../records/connection.js';
import type { Decision, RecordChange, Records } from '../records/records.js';
import { find, newUri, type RouteParts } from '../route-parts.js';
import { type Access, holderFor, visibleTo } from '../tokens/access.js';
import { sameUri, uriKey } from '../uri.js';

/** `/connection/` and `/connection/{uri}`. */
export function connectionRoutes(parts: RouteParts): Resource[] {
  const { authorised } = parts;
  return [
    {
      path: '/connection',
      cors: ANY_ORIGIN,
      methods: { GET: listConnections(parts), POST: createConnection(parts) },
    },
    {
      path: '/connection/*',
      cors: ANY_ORIGIN,
      methods: {
        GET: authorised(['read'], ({ req }, access) => {
          const { connections } = parts.loaded().records;
          return entityAnswer(
            200,
            connectionBody(find(connections, meantBy(req.url, parts), access, 'connection')),
          );
        }),
        PUT: replaceConnection(parts),
        DELETE: deleteConnection(parts),
      },
    },
  ];
}

function meantBy(url: string, { place }: RouteParts): string[] {
  return requestedUris(url, place, 'connection');
}

function listConnections({ authorised, loaded, place, pace }: RouteParts): Handler {
  return authorised(['read'], ({ req }, access) =>
    listAnswer({
      records: loaded().records.connections.list({ ...visibleTo(access), order: 'newest' }),
      body: connectionBody,
      address: `${place.base}/connection/`,
      parameters: parametersOf(req.url),
      pace,
    }),
  );
}

function createConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts.loaded();
    const wanted = readNewConnection(await readJsonBody(req.raw, parts.bodyBytes));
    const holder = holderFor(access, wanted.holder);
    const connection = { ...wanted, holder, uri: newUri(parts, 'connection') } as Connection;
    await records.change(() => ({ changes: [{ kind: 'connection', put: connection }], result: undefined }));
    return entityAnswer(201, connectionBody(connection), { location: locationOf(connection, parts) });
  });
}

function locationOf({ uri }: Connection, { place }: RouteParts): string {
  return `${place.base}/connection/${encodeURIComponent(uri)}`;
}

function replaceConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts.loaded();
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
  if (!sameUri(wanted.uri, current.uri)) {
    throw new InvalidInput('The body is not valid', [
      { pointer: '/uri', detail: 'uri is not that of the connection at this path' },
    ]);
  }
  const next = { ...wanted, uri: current.uri, holder: holderFor(access, wanted.holder) };
  const kept = sameUri(next.holder, current.holder) ? new Set(resourcesOf(next).map(uriKey)) : new Set();
  const dropped = cachedFor(records, current).filter(({ uri }) => !kept.has(uriKey(uri)));
  return { ...(await removal(records, [{ kind: 'connection', put: next }], dropped)), result: next };
}

/** `DELETE` revokes a connection: the resources that were read for it are removed too. */
function deleteConnection(parts: RouteParts): Handler {
  return parts.authorised(['write'], async ({ req }, access) => {
    const { records } = parts.loaded();
    const meant = meantBy(req.url, parts);
    await records.change(() => {
      const current = find(records.connections, meant, access, 'connection');
      requireMatch(req.header('if-match'), connectionBody(current));
      return removal(records, [{ kind: 'connection', remove: current }], cachedFor(records, current));
    });
    return { status: 204 };
  });
}

function cachedFor(records: Records, { uri, holder }: Connection): CachedResource[] {
  return records.resources
    .list({ holder, order: 'newest' })
    .map(({ record }) => record)
    .filter(({ connection }) => sameUri(connection, uri));
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
