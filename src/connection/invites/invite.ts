import { z } from 'zod';
import { Problem } from '../../lib/http/problem.js';
import { check, momentField, uriField } from '../http/fields.js';

export const INVITE_STATES = ['not linked', 'linking', 'linked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** An invitation for a holder, tied to a purpose. Moments are ms since the epoch, as numeric strings. */
export interface Invite {
  readonly uri: string;
  /** The record that ties purpose, holder, source and connection together, once there is one. */
  readonly exchange: string | null;
  readonly holder: string;
  readonly state: InviteState;
  readonly purpose: string;
  readonly connection: string | null;
  readonly created: string;
  readonly expires: string;
  readonly accepted: string | null;
}

/** What an accepted invite has led to. */
export interface Exchange {
  readonly uri: string;
  readonly invite: string;
  readonly purpose: string;
  readonly holder: string;
  readonly source: string;
  readonly connection: string;
  readonly accepted: string;
}

/** An invite that nobody limits is good for 30 days. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

const stateField = z.enum(INVITE_STATES, `must be one of ${INVITE_STATES.join(', ')}`);

/** What `PUT` takes, and what every answer holds: nine fields. */
export const inviteSchema = z.strictObject(
  {
    uri: uriField.nullable(),
    exchange: uriField.nullable(),
    holder: uriField,
    state: stateField.nullable(),
    purpose: uriField,
    connection: uriField.nullable(),
    created: momentField.nullable(),
    expires: momentField.nullable(),
    accepted: momentField.nullable(),
  },
  'must be an invite with its nine fields',
);

/** What `POST` takes: what it leaves out, or null, is assigned. */
export const newInviteSchema = inviteSchema.partial().required({ purpose: true });

export type NewInvite = z.output<typeof newInviteSchema>;
/** What a client wants an invite to be; null where it leaves that to the service. */
export type WantedInvite = z.output<typeof inviteSchema>;

/** @throws InvalidInput */
export const readNewInvite = (body: unknown): NewInvite => check(newInviteSchema, body);
/** @throws InvalidInput */
export const readInvite = (body: unknown): WantedInvite => check(inviteSchema, body);

/** A new invite, which is not linked to anything yet. @throws Problem 409 when it says that it is */
export function newInvite(
  wanted: NewInvite & { holder: string },
  assigned: { uri: string; now: number },
): Invite {
  const { uri, state, created, expires } = wanted;
  if ((state ?? 'not linked') !== 'not linked' || wanted.connection || wanted.accepted) {
    throw conflict('A new invite is "not linked": it has no connection and is not accepted yet');
  }
  return {
    uri: uri ?? assigned.uri,
    exchange: wanted.exchange ?? null,
    holder: wanted.holder,
    state: 'not linked',
    purpose: wanted.purpose,
    connection: null,
    created: created ?? String(assigned.now),
    expires: expires ?? String(assigned.now + LIFETIME_MS),
    accepted: null,
  };
}

/** What the state of an invite does not allow. */
export function conflict(detail: string): Problem {
  return new Problem(409, detail);
}
