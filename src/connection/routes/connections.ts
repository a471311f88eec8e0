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
import { endConnection, removal, withoutConnection } from '../records/end-connection.js';
import type { Decision, RecordReads, Stored } from '../records/records.js';
import { holderFor } from '../tokens/access.js';
import { sameUri, uriKey } from '../uri.js';
import { find, getRecord, listRecords, newUri, type RouteParts } from './record-routes.js';

/** `/connection/` and `/connection/{uri}`. */
export function connectionRoutes(parts: RouteParts): Resource[] {
  return [
    {
      path: '/connection',
      cors: ANY_ORIGIN,
      methods: { GET: listRecords(parts, 'connection', connectionBody), POST: createConnection(parts) },
    },
    {
      path: '/connection/*',
      cors: ANY_ORIGIN,
      methods: {
        GET: getRecord(parts, 'connection', connectionBody),
        PUT: replaceConnection(parts),
        DELETE: deleteConnection(parts),
      },
    },
  ];
}

function createConnection(parts: RouteParts): Handler {
  return parts.authorised(async ({ req }, access) => {
    const wanted = readNewConnection(await readJsonBody(req.raw, parts.bodyBytes));
    const holder = holderFor(access, wanted.holder);
    const connection = { ...wanted, holder, uri: newUri(parts, 'connection') } as Connection;
    await parts.records.change(() => ({
      changes: [{ kind: 'connection', put: connection }],
      result: undefined,
    }));
    const location = `${parts.mount.base}/connection/${encodeURIComponent(connection.uri)}`;
    return entityAnswer(201, connectionBody(connection), { location });
  });
}

function replaceConnection({ authorised, records, mount, clock, bodyBytes }: RouteParts): Handler {
  return authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, mount, 'connection');
    const wanted = readConnection(await readJsonBody(req.raw, bodyBytes));
    const replaced = await records.change(async (now) => {
      const current = await find(now, 'connection', meant, access);
      requireMatch(req.header('if-match'), connectionBody(current.record));
      if (!sameUri(wanted.uri, current.record.uri))
        throw invalidBody([{ pointer: '/uri', detail: 'uri is not that of the connection at this path' }]);
      const holder = holderFor(access, wanted.holder);
      return replacement(now, current, { ...wanted, uri: current.record.uri, holder }, clock.now());
    });
    return entityAnswer(200, connectionBody(replaced));
  });
}

/**
 * The changes that replace a connection and remove the resources that it names no longer. A new holder gets none of the old one's.
 * What was in the configuration may have been a secret. `time`: ms since the epoch.
 */
async function replacement(
  now: RecordReads,
  { seq, record: current }: Stored<Connection>,
  next: Connection,
  time: number,
): Promise<Decision<Connection>> {
  const isMoved = !sameUri(next.holder, current.holder);
  const kept = new Set(isMoved ? [] : resourcesOf(next).map(uriKey));
  const dropped = (await now.resourcesOf(current)).filter(({ uri }) => !kept.has(uriKey(uri)));
  const removed = await removal(now, dropped);
  const isOther = JSON.stringify(next.configuration) !== JSON.stringify(current.configuration);
  return {
    changes: [
      ...(isMoved ? [{ kind: 'connection', remove: current } as const] : []),
      { kind: 'connection', put: next, seq },
      ...(isMoved ? await withoutConnection(now, current, time) : []),
      ...removed.changes,
    ],
    quads: removed.quads,
    erase: isOther || dropped.length > 0,
    result: next,
  };
}

function deleteConnection({ authorised, records, mount, clock }: RouteParts): Handler {
  return authorised(async ({ req }, access) => {
    const meant = requestedUris(req.url, mount, 'connection');
    await records.change(async (now) => {
      const { record } = await find(now, 'connection', meant, access);
      requireMatch(req.header('if-match'), connectionBody(record));
      return endConnection(now, record, clock.now());
    });
    return { status: 204 };
  });
}
