import { Problem } from '../../lib/http/problem.js';
import { wrongField } from '../fields.js';
import type { Connection } from '../records/connection.js';
import type { Invite, InviteState, NewInvite, WantedInvite } from '../records/invite.js';

/** The states that may follow each state. A linked invite never changes again. */
const NEXT: Readonly<Record<InviteState, readonly InviteState[]>> = {
  'not linked': ['linking'],
  linking: ['not linked', 'linked'],
  linked: [],
};

/** Lifetime of an invite without `expires`, in ms. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** `uri`: for a new invite, or for the exchange that a change of one leads to, where the client names none. */
export type Assigned = { readonly now: number; readonly uri: string };

/** Makes an invite. @throws Problem 409 when the body says that the invite is linked */
export function newInvite(wanted: NewInvite & { holder: string }, { now, uri }: Assigned): Invite {
  const { state, connection, accepted } = wanted;
  if ((state ?? 'not linked') !== 'not linked' || connection || accepted)
    throw conflict('A new invite is "not linked": it has no connection and is not accepted yet');
  const { holder, purpose, exchange = null, created, expires } = wanted;
  return {
    ...{ uri: wanted.uri ?? uri, exchange, holder, state: 'not linked', purpose, connection: null },
    ...{ created: created ?? String(now), expires: expires ?? String(now + LIFETIME_MS), accepted: null },
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
): Invite {
  const { uri, created } = current;
  if (wanted.created !== null && wanted.created !== created)
    throw wrongField('created', `cannot change; it is ${created}`);
  const [state, expires] = [wanted.state ?? current.state, wanted.expires ?? current.expires];
  const exchange = wanted.exchange ?? current.exchange;
  // Of the current one, because those of version 0.2.0 have more fields.
  const next = { ...current, ...wanted, uri, created, state, expires, exchange };
  if (current.state === 'linked') {
    const fields = Object.keys(current) as (keyof Invite)[];
    if (fields.every((field) => next[field] === current[field])) return current;
    throw conflict('The invite is linked and cannot change any more');
  }
  if (state !== current.state) refuseMove(current.state, next, assigned.now);
  if ((state === 'not linked' && next.connection !== null) || (state !== 'linked' && next.accepted !== null))
    throw conflict(
      'An invite has no connection while it is "not linked", and is accepted when it is "linked"',
    );
  if (!connection && (next.connection !== null || state === 'linked'))
    throw conflict('This invite needs a connection that its holder has');
  return state === 'linked' && connection ? acceptInvite(next, connection.uri, assigned) : next;
}

function refuseMove(from: InviteState, { state, expires }: Invite, now: number): void {
  if (!NEXT[from].includes(state)) {
    const possible = NEXT[from].map((one) => `"${one}"`).join(' or ');
    throw conflict(`An invite that is "${from}" can become ${possible}, not "${state}"`);
  }
  if (state !== 'not linked' && Number(expires) <= now)
    throw conflict('The invite has expired; give it a later "expires" to go on');
}

/** @throws Problem 409 when the invite has been accepted, 410 when it has expired */
export function refuseUnusable({ state, expires }: Invite, now: number): void {
  if (state === 'linked') throw conflict('This invite has been accepted already');
  if (Number(expires) <= now) throw new Problem(410, 'This invite has expired; ask for a new one');
}

/** The invite, accepted with the connection of that URI. */
export function acceptInvite(invite: Invite, connection: string, { now, uri }: Assigned): Invite {
  const [exchange, accepted] = [invite.exchange ?? uri, invite.accepted ?? String(now)];
  return { ...invite, state: 'linked', exchange, connection, accepted };
}

export function conflict(detail: string): Problem {
  return new Problem(409, detail);
}
