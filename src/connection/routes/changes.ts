import { type ChangedInvite, conflict } from '../invites/invite-state.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { Invite } from '../records/invite.js';
import type { Decision, RecordChange, Records } from '../records/records.js';

/** Ends a connection: it goes, with the resources that were read for it. */
export async function ended(now: Records, connection: Connection): Promise<Decision<undefined>> {
  const others = [...(await unlinked(now, connection)), ...(await dropped(now, connection, []))];
  return { changes: [{ kind: 'connection', remove: connection }, ...others], result: undefined };
}

/** Replaces a connection, and removes the resources that it names no longer. A new holder gets none of the old one's. */
export async function replacedConnection(
  now: Records,
  current: Connection,
  next: Connection,
): Promise<Decision<Connection>> {
  const put = { kind: 'connection', put: next } as const;
  if (next.holder !== current.holder) {
    const { changes } = await ended(now, current);
    return { changes: [...changes, put], result: next };
  }
  const gone = await dropped(now, current, documentsOf(next));
  return { changes: [put, ...gone], result: next };
}

/**
 * The changes that replace an invite, and add the exchange that it has led to.
 * @throws Problem 409 when its holder has an exchange with that URI already
 */
export async function replacedInvite(
  now: Records,
  current: Invite,
  { invite, exchange }: ChangedInvite,
): Promise<Decision<Invite>> {
  if (exchange && (await now.get('exchange', exchange)))
    throw conflict('The invite names an exchange that exists already; set its "exchange" to null');
  const changes: RecordChange[] = [
    { kind: 'invite', remove: current },
    { kind: 'invite', put: invite },
    ...(exchange ? [{ kind: 'exchange', put: exchange } as const] : []),
  ];
  return { changes, result: invite };
}

/**
 * The holder's invites name a connection no longer, and no exchange whose record named it: `connection` is null while none
 * exists (specification of the service, "Invite").
 */
async function unlinked(now: Records, connection: Connection): Promise<RecordChange[]> {
  const exchanges = await now.linkedTo('exchange', connection);
  const invites = await now.linkedTo('invite', connection);
  return [
    ...exchanges.map((remove) => ({ kind: 'exchange', remove }) as const),
    ...invites.map((invite) => {
      const exchange = exchanges.some(({ uri }) => uri === invite.exchange) ? null : invite.exchange;
      return { kind: 'invite', put: { ...invite, connection: null, exchange } } as const;
    }),
  ];
}

/** The resources of a connection go, but those of the documents that are kept. */
async function dropped(
  now: Records,
  { holder, uri: connection }: Connection,
  kept: readonly string[],
): Promise<RecordChange[]> {
  const stored = await now.list('resource', { holder, connection });
  const gone = stored.filter(({ uri }) => !kept.includes(uri));
  return gone.map((remove) => ({ kind: 'resource', remove }) as const);
}
