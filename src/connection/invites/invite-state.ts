import { Problem } from '../../lib/http/problem.js';
import { invalidBody } from '../fields.js';
import type { Connection } from '../records/connection.js';
import {
  conflict,
  type Exchange,
  type Invite,
  type InviteState,
  type WantedInvite,
} from '../records/invite.js';
import { sameUri } from '../uri.js';

/** The states that may follow each state. A linked invite never changes again. */
const NEXT: Readonly<Record<InviteState, readonly InviteState[]>> = {
  'not linked': ['linking'],
  linking: ['not linked', 'linked'],
  linked: [],
};

/** What a change of an invite depends on beside the invite. */
export interface ChangeContext {
  /** Ms since the epoch. */
  readonly now: number;
  /** The one that the wanted invite names, if its holder has it. */
  readonly connection: Connection | undefined;
  /** URI of the exchange, if the invite names none. */
  readonly exchangeUri: string;
}

export interface ChangedInvite {
  readonly invite: Invite;
  /** The new exchange, when the change has linked the invite. */
  readonly exchange?: Exchange;
}

/**
 * Replaces an invite. @throws Problem 409 when its state does not allow the change; InvalidInput when a field differs
 * that never changes
 */
export function changeInvite(
  current: Invite,
  wanted: WantedInvite & { holder: string },
  context: ChangeContext,
): ChangedInvite {
  const next = completed(current, wanted);
  if (current.state === 'linked') return { invite: unchanged(current, next) };
  if (next.state !== current.state && !NEXT[current.state].includes(next.state)) {
    const possible = NEXT[current.state].map((state) => `"${state}"`).join(' or ');
    throw conflict(`An invite that is "${current.state}" can become ${possible}, not "${next.state}"`);
  }
  if (next.state !== 'not linked' && next.state !== current.state) refuseExpired(next, context.now);
  return checked(next, context);
}

/**
 * Accepts an invite with the source that the holder has chosen: makes the connection, and links the invite to it.
 * `now`: ms since the epoch.
 * @throws Problem 409 when it was accepted before, 410 when it has expired
 */
export function acceptInvite(
  invite: Invite,
  source: string,
  assigned: { now: number; connectionUri: string; exchangeUri: string },
): { invite: Invite; exchange: Exchange; connection: Connection } {
  refuseUnusable(invite, assigned.now);
  const { holder } = invite;
  const uri = assigned.connectionUri;
  const connection: Connection = { uri, configuration: {}, state: 'CONNECTED', source, holder };
  return { connection, ...link(invite, connection, assigned.now, assigned.exchangeUri) };
}

/** @throws Problem 409 when the invite has been accepted, 410 when it has expired */
export function refuseUnusable(invite: Invite, now: number): void {
  if (invite.state === 'linked') throw conflict('This invite has been accepted already');
  if (isExpired(invite, now)) throw new Problem(410, 'This invite has expired; ask for a new one');
}

function isExpired({ expires }: Invite, now: number): boolean {
  return Number(expires) <= now;
}

/** The wanted invite, with current values for the fields that are null. @throws InvalidInput when uri, created or ended differ */
function completed(current: Invite, wanted: WantedInvite & { holder: string }): Invite {
  const faults = [
    ...(wanted.uri !== null && !sameUri(wanted.uri, current.uri)
      ? [{ pointer: '/uri', detail: 'uri is not that of the invite at this path' }]
      : []),
    ...(wanted.created !== null && wanted.created !== current.created
      ? [{ pointer: '/created', detail: `created cannot change; it is ${current.created}` }]
      : []),
    ...((wanted.ended ?? undefined) !== undefined && wanted.ended !== current.ended
      ? [{ pointer: '/ended', detail: 'ended is assigned by the service, when the connection ends' }]
      : []),
  ];
  if (faults.length > 0) throw invalidBody(faults);
  const { ended: _, ...fields } = wanted;
  return {
    ...current,
    ...fields,
    uri: current.uri,
    created: current.created,
    state: wanted.state ?? current.state,
    expires: wanted.expires ?? current.expires,
    exchange: wanted.exchange ?? current.exchange,
  };
}

/** The current invite, as linked invites never change. @throws Problem 409 when a field of `next` differs */
function unchanged(current: Invite, next: Invite): Invite {
  const differing = (Object.keys(current) as (keyof Invite)[]).filter(
    (field) => next[field] !== current[field],
  );
  if (differing.length === 0) return current;
  throw conflict(`The invite is linked and cannot change any more: ${differing.join(', ')}`);
}

function refuseExpired(invite: Invite, now: number): void {
  if (isExpired(invite, now)) throw conflict('The invite has expired; give it a later "expires" to go on');
}

/** Checks that the fields fit the state, and links the invite when it is to be linked. @throws Problem 409 */
function checked(next: Invite, context: ChangeContext): ChangedInvite {
  if (next.state === 'not linked' && next.connection !== null) {
    throw conflict('An invite that is "not linked" has no connection');
  }
  if (next.state !== 'linked' && next.accepted !== null) {
    throw conflict(`An invite that is "${next.state}" is not accepted`);
  }
  const connection = next.connection === null ? undefined : context.connection;
  if (next.connection !== null && !connection) throw conflict('The holder has no connection with this URI');
  if (next.state !== 'linked') return { invite: next };
  if (!connection) throw conflict('An invite becomes "linked" with the connection that it led to');
  return link(next, connection, context.now, context.exchangeUri);
}

/** The linked invite, and the exchange that records what it has led to. */
function link(
  invite: Invite,
  connection: Connection,
  now: number,
  exchangeUri: string,
): { invite: Invite; exchange: Exchange } {
  const { uri, purpose, holder, exchange, accepted } = invite;
  const record: Exchange = {
    uri: exchange ?? exchangeUri,
    invite: uri,
    purpose,
    holder,
    source: connection.source,
    connection: connection.uri,
    accepted: accepted ?? String(now),
  };
  const { accepted: stamp } = record;
  const linked = { ...invite, state: 'linked', exchange: record.uri, connection: connection.uri } as const;
  return { invite: { ...linked, accepted: stamp }, exchange: record };
}
