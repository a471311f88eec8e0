import type { CachedResource } from '../records/cached-resource.js';
import type { Connection } from '../records/connection.js';
import { endInvite } from '../records/invite.js';
import type { RecordIndex } from '../records/record-index.js';
import type { Decision, RecordChange, Records } from '../records/records.js';
import { sameUri, uriKey } from '../uri.js';

/**
 * Ends a connection: it goes, with the resources that were read for it, also from the files, since it may hold secrets.
 * `now`: ms since the epoch.
 */
export async function endConnection(
  records: Records,
  connection: Connection,
  now: number,
): Promise<Decision<undefined>> {
  const changes = [
    { kind: 'connection', remove: connection } as const,
    ...withoutConnection(records, connection, now),
  ];
  return { ...(await removal(records, changes, naming(records.resources, connection))), erase: true };
}

/** The changes by which a holder's invites name a connection no longer, and no exchange whose record named it. `now`: ms since the epoch. */
export function withoutConnection(records: Records, connection: Connection, now: number): RecordChange[] {
  const exchanges = naming(records.exchanges, connection);
  const gone = new Set(exchanges.map((exchange) => uriKey(exchange.uri)));
  return [
    ...exchanges.map((remove) => ({ kind: 'exchange', remove }) as const),
    ...naming(records.invites, connection).map((invite) => {
      const exchange = invite.exchange !== null && gone.has(uriKey(invite.exchange)) ? null : invite.exchange;
      return { kind: 'invite', put: endInvite(invite, { now, exchange }), replaces: invite } as const;
    }),
  ];
}

/** The records of its holder that name a connection. */
export function naming<T extends { uri: string; holder: string; connection: string | null }>(
  index: RecordIndex<T>,
  { uri, holder }: Connection,
): T[] {
  return index
    .list({ holder })
    .map(({ record }) => record)
    .filter(({ connection }) => connection !== null && sameUri(connection, uri));
}

/** Adds the removal of resources, with their triples, to other changes. */
export async function removal(
  records: Records,
  changes: readonly RecordChange[],
  dropped: readonly CachedResource[],
): Promise<Decision<undefined>> {
  const remove = (await Promise.all(dropped.map((resource) => records.triples(resource)))).flat();
  return {
    changes: [...changes, ...dropped.map((resource) => ({ kind: 'resource', remove: resource }) as const)],
    quads: { remove },
    result: undefined,
  };
}
