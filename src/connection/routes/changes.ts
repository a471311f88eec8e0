import { type ChangedInvite, conflict } from '../invites/invite-state.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { Invite } from '../records/invite.js';
import type { ChangingRecords } from '../records/records.js';

/**
 * Ends a connection: it goes, with the resources that were read for it. The holder's invites name it no longer, and no exchange
 * whose record named it: `connection` is null while none exists (specification of the service, "Invite").
 */
export async function endConnection(now: ChangingRecords, connection: Connection): Promise<void> {
  await now.remove('connection', connection);
  const exchanges = await now.linkedTo('exchange', connection);
  for (const exchange of exchanges) await now.remove('exchange', exchange);
  for (const invite of await now.linkedTo('invite', connection)) {
    const exchange = exchanges.some(({ uri }) => uri === invite.exchange) ? null : invite.exchange;
    await now.put('invite', { ...invite, connection: null, exchange });
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

/**
 * Replaces an invite, and adds the exchange that it has led to.
 * @throws Problem 409 when its holder has an exchange with that URI already
 */
export async function replaceInvite(
  now: ChangingRecords,
  current: Invite,
  { invite, exchange }: ChangedInvite,
): Promise<Invite> {
  if (exchange && (await now.get('exchange', exchange)))
    throw conflict('The invite names an exchange that exists already; set its "exchange" to null');
  await now.remove('invite', current);
  await now.put('invite', invite);
  if (exchange) await now.put('exchange', exchange);
  return invite;
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
