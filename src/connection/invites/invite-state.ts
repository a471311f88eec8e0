import { Problem } from '../../lib/http/problem.js';
import { invalidBody } from '../fields.js';
import type { Connection } from '../records/connection.js';
import type { Exchange, Invite, InviteState, NewInvite, WantedInvite } from '../records/invite.js';

/** The states that may follow each state. A linked invite never changes again. */
const NEXT: Readonly<Record<InviteState, readonly InviteState[]>> = {
  'not linked': ['linking'],
  linking: ['not linked', 'linked'],
  linked: [],
};

/** Lifetime of an invite without `expires`, in ms. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** What the service decides of a new invite, or of a change. */
export interface Assigned {
  /** Ms since the epoch. */
  readonly now: number;
  /** URI of what is made, where the invite names none: of a new invite, or of the exchange that a change leads to. */
  readonly uri: string;
}

export interface ChangedInvite {
  readonly invite: Invite;
  /** The new exchange, when the change has linked the invite. */
  readonly exchange?: Exchange;
}

/** Makes an invite. @throws Problem 409 when the body says that the invite is linked */
export function newInvite(wanted: NewInvite & { holder: string }, { now, uri }: Assigned): Invite {
  const { state, connection, accepted } = wanted;
  if ((state ?? 'not linked') !== 'not linked' || connection || accepted)
    throw conflict('A new invite is "not linked": it has no connection and is not accepted yet');
  return {
    uri: wanted.uri ?? uri,
    exchange: wanted.exchange ?? null,
    holder: wanted.holder,
    state: 'not linked',
    purpose: wanted.purpose,
    connection: null,
    created: wanted.created ?? String(now),
    expires: wanted.expires ?? String(now + LIFETIME_MS),
    accepted: null,
  };
}

/**
 * Replaces an invite. `connection`: the one that the wanted invite names, if its holder has it.
 * @throws Problem 409 when its state does not allow the change; InvalidInput when `created` differs, which never changes
 */
export function changeInvite(
  current: Invite,
  wanted: WantedInvite & { holder: string },
  { connection, ...assigned }: Assigned & { connection: Connection | undefined },
): ChangedInvite {
  const next = completed(current, wanted);
  if (current.state === 'linked') {
    const fields = Object.keys(current) as (keyof Invite)[];
    if (fields.every((field) => next[field] === current[field])) return { invite: current };
    throw conflict('The invite is linked and cannot change any more');
  }
  const isMove = next.state !== current.state;
  if (isMove && !NEXT[current.state].includes(next.state)) {
    const possible = NEXT[current.state].map((state) => `"${state}"`).join(' or ');
    throw conflict(`An invite that is "${current.state}" can become ${possible}, not "${next.state}"`);
  }
  if (isMove && next.state !== 'not linked' && Number(next.expires) <= assigned.now)
    throw conflict('The invite has expired; give it a later "expires" to go on');
  if (next.state === 'not linked' && next.connection !== null)
    throw conflict('An invite that is "not linked" has no connection');
  if (next.state !== 'linked' && next.accepted !== null)
    throw conflict(`An invite that is "${next.state}" is not accepted`);
  if (next.connection !== null && !connection) throw conflict('The holder has no connection with this URI');
  if (next.state !== 'linked') return { invite: next };
  if (!connection) throw conflict('An invite becomes "linked" with the connection that it led to');
  return acceptInvite(next, connection, assigned);
}

/** @throws Problem 409 when the invite has been accepted, 410 when it has expired */
export function refuseUnusable({ state, expires }: Invite, now: number): void {
  if (state === 'linked') throw conflict('This invite has been accepted already');
  if (Number(expires) <= now) throw new Problem(410, 'This invite has expired; ask for a new one');
}

/** The wanted invite, with current values for the fields that the service assigns. @throws InvalidInput */
function completed(current: Invite, wanted: WantedInvite & { holder: string }): Invite {
  const { uri, created } = current;
  if (wanted.created !== null && wanted.created !== created)
    throw invalidBody({ pointer: '/created', detail: `created cannot change; it is ${created}` });
  const [state, expires] = [wanted.state ?? current.state, wanted.expires ?? current.expires];
  return { ...wanted, uri, created, state, expires, exchange: wanted.exchange ?? current.exchange };
}

/** The invite, accepted with a connection: it is linked, and an exchange records what it has led to. */
export function acceptInvite(
  { purpose, holder, ...invite }: Invite,
  { source, uri: connection }: Connection,
  assigned: Assigned,
): Required<ChangedInvite> {
  const uri = invite.exchange ?? assigned.uri;
  const accepted = invite.accepted ?? String(assigned.now);
  return {
    invite: { ...invite, purpose, holder, state: 'linked', exchange: uri, connection, accepted },
    exchange: { uri, invite: invite.uri, purpose, holder, source, connection, accepted },
  };
}

export function conflict(detail: string): Problem {
  return new Problem(409, detail);
}
