import { InvalidInput } from '../../lib/faults.js';
import { Problem } from '../../lib/http/problem.js';
import type { Connection } from '../connections/connection.js';
import { sameUri } from '../uri.js';
import { conflict, type Exchange, type Invite, type InviteState, type WantedInvite } from './invite.js';

/** Where each state may lead. An invite in use is settled: it stays as it is. */
const NEXT: Readonly<Record<InviteState, readonly InviteState[]>> = {
  'not linked': ['linking'],
  linking: ['not linked', 'linked'],
  linked: [],
};

/** What is looked up and assigned while an invite changes. */
export interface Circumstances {
  readonly now: number;
  /** The connection with a URI, if it is one of this holder's. */
  readonly connection: (uri: string, holder: string) => Connection | undefined;
  /** For the exchange record, if the invite names none. */
  readonly exchangeUri: string;
}

export interface ChangedInvite {
  readonly invite: Invite;
  /** Comes into being when the invite is linked. */
  readonly exchange?: Exchange;
}

/**
 * What becomes of an invite when it is replaced. @throws Problem 409 for what its state does not allow;
 * InvalidInput for fields that never change
 */
export function changeInvite(current: Invite, wanted: WantedInvite, at: Circumstances): ChangedInvite {
  const next = completed(current, wanted);
  if (current.state === 'linked') return { invite: unchanged(current, next) };
  if (next.state !== current.state && !NEXT[current.state].includes(next.state)) {
    const possible = NEXT[current.state].map((state) => `"${state}"`).join(' or ');
    throw conflict(`An invite that is "${current.state}" can become ${possible}, not "${next.state}"`);
  }
  if (next.state !== 'not linked' && next.state !== current.state) refuseExpired(next, at.now);
  return settled(next, at);
}

/**
 * A holder's acceptance of an invite with a source of their choice.
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

/** The wanted invite with what it leaves to the service. @throws InvalidInput */
function completed(current: Invite, wanted: WantedInvite): Invite {
  const faults = [
    ...(wanted.uri !== null && !sameUri(wanted.uri, current.uri)
      ? [{ pointer: '/uri', detail: 'uri is not that of the invite at this path' }]
      : []),
    ...(wanted.created !== null && wanted.created !== current.created
      ? [{ pointer: '/created', detail: `created cannot change; it is ${current.created}` }]
      : []),
  ];
  if (faults.length > 0) throw new InvalidInput('The body is not valid', faults);
  return {
    ...wanted,
    uri: current.uri,
    created: current.created,
    state: wanted.state ?? current.state,
    expires: wanted.expires ?? current.expires,
    exchange: wanted.exchange ?? current.exchange,
  };
}

/** @throws Problem 409 when a settled invite would not stay as it is */
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

/** Checks the fields that belong to each state. @throws Problem 409 */
function settled(next: Invite, at: Circumstances): ChangedInvite {
  if (next.state === 'not linked' && next.connection !== null) {
    throw conflict('An invite that is "not linked" has no connection');
  }
  if (next.state !== 'linked' && next.accepted !== null) {
    throw conflict(`An invite that is "${next.state}" is not accepted`);
  }
  const connection = next.connection === null ? undefined : at.connection(next.connection, next.holder);
  if (next.connection !== null && !connection) throw conflict('The holder has no connection with this URI');
  if (next.state !== 'linked') return { invite: next };
  if (!connection) throw conflict('An invite becomes "linked" with the connection that it led to');
  return link(next, connection, at.now, at.exchangeUri);
}

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
