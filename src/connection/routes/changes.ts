import { conflict } from '../invites/invite-state.js';
import { type Connection, documentsOf } from '../records/connection.js';
import { hasExchange, type Invite } from '../records/invite.js';
import type { ChangingRecords } from '../records/records.js';

/**
 * Ends a connection: it goes, with the resources that were read for it. The holder's invites name it no longer, and no exchange
 * that it was part of: `connection` is null while none exists (specification of the service, "Invite").
 */
export async function endConnection(now: ChangingRecords, connection: Connection): Promise<void> {
  await now.remove('connection', connection);
  const invites = await now.linkedTo(connection);
  const ended = invites.filter(hasExchange).map(({ exchange }) => exchange);
  for (const { exchange, ...invite } of invites) {
    const kept = ended.includes(exchange) ? null : exchange;
    await now.put('invite', { ...invite, exchange: kept, connection: null });
  }
  await dropResources(now, connection);
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

/** Replaces an invite. @throws Problem 409 when its holder has the exchange already that it would lead to */
export async function replaceInvite(now: ChangingRecords, current: Invite, next: Invite): Promise<Invite> {
  const { exchange, holder } = next;
  const isNew = hasExchange(next) && !hasExchange(current);
  if (isNew && exchange !== null && (await now.exchanged(exchange, holder)).length > 0)
    throw conflict('The invite names an exchange that exists already; set its "exchange" to null');
  await now.remove('invite', current);
  await now.put('invite', next);
  return next;
}

/** The resources of a connection go, but those of the documents that are kept. */
async function dropResources(
  now: ChangingRecords,
  { holder, uri: connection }: Connection,
  kept: readonly string[] = [],
): Promise<void> {
  for (const resource of await now.list('resource', { holder, connection }))
    if (!kept.includes(resource.uri)) await now.remove('resource', resource);
}
