import { type Connection, documentsOf } from '../records/connection.js';
import type { ChangingRecords } from '../records/records.js';

/**
 * Ends a connection: it goes, with the resources that were read for it. The holder's invites name neither it
 * nor what they have led to: `connection` is null while none exists (specification of the service, "Invite").
 */
export async function endConnection(now: ChangingRecords, connection: Connection): Promise<void> {
  await now.remove('connection', connection);
  for (const invite of await now.linkedTo(connection)) {
    const exchange = invite.state === 'linked' ? null : invite.exchange;
    await now.put('invite', { ...invite, exchange, connection: null });
  }
  await dropResources(now, connection, []);
}

/** Replaces a connection, and removes the resources that it names no longer. A new holder gets none of the old one's. */
export async function replaceConnection(
  now: ChangingRecords,
  current: Connection,
  next: Connection,
): Promise<Connection> {
  if (next.holder === current.holder) await dropResources(now, current, documentsOf(next));
  else await endConnection(now, current);
  await now.put('connection', next);
  return next;
}

/** The resources of a connection go, but those of the documents that are kept. */
async function dropResources(
  now: ChangingRecords,
  { holder, uri: connection }: Connection,
  kept: readonly string[],
): Promise<void> {
  for (const resource of await now.list('resource', { holder, connection }))
    if (!kept.includes(resource.uri)) await now.remove('resource', resource);
}
