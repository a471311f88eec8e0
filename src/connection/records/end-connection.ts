import type { Writes } from '../../keep/keep.js';
import { sameUri, uriKey } from '../uri.js';
import type { CachedResource } from './cached-resource.js';
import type { Connection } from './connection.js';
import { endInvite } from './invite.js';
import type { Decision, RecordChange, RecordReads } from './records.js';

/**
 * Ends a connection: it goes, with the resources that were read for it, also from the files, since it may hold secrets.
 * `time`: ms since the epoch.
 */
export async function endConnection(
  now: RecordReads,
  connection: Connection,
  time: number,
): Promise<Decision<undefined>> {
  const { changes, quads } = await removal(now, await now.resourcesOf(connection));
  const gone = { kind: 'connection', remove: connection } as const;
  const others = await withoutConnection(now, connection, time);
  return { changes: [gone, ...others, ...changes], quads, erase: true, result: undefined };
}

/** The changes by which a holder's invites name a connection no longer, and no exchange whose record named it. `time`: ms since the epoch. */
export async function withoutConnection(
  now: RecordReads,
  { uri, holder }: Connection,
  time: number,
): Promise<RecordChange[]> {
  const isOfIt = ({ record }: { record: { connection: string | null } }) =>
    record.connection !== null && sameUri(record.connection, uri);
  const exchanges = (await now.list('exchange', { holder })).filter(isOfIt);
  const gone = new Set(exchanges.map(({ record }) => uriKey(record.uri)));
  const invites = (await now.list('invite', { holder })).filter(isOfIt);
  return [
    ...exchanges.map(({ record }) => ({ kind: 'exchange', remove: record }) as const),
    ...invites.map(({ record, seq }) => {
      const { exchange: named } = record;
      const exchange = named !== null && gone.has(uriKey(named)) ? null : named;
      return { kind: 'invite', put: endInvite(record, { now: time, exchange }), seq } as const;
    }),
  ];
}

/** The removal of resources with their triples. */
export async function removal(
  now: RecordReads,
  dropped: readonly CachedResource[],
): Promise<{ changes: RecordChange[]; quads: NonNullable<Writes['quads']> }> {
  const triples = await Promise.all(dropped.map((resource) => now.triples(resource)));
  const changes = dropped.map((resource) => ({ kind: 'resource', remove: resource }) as const);
  return { changes, quads: { remove: triples.flat() } };
}
