import * as z from 'zod';
import { Problem } from '../../lib/http/problem.js';
import { check, invalidBody, LAST_MOMENT, momentField, uriField } from '../fields.js';

export const INVITE_STATES = ['not linked', 'linking', 'linked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** An invitation for a holder, tied to a purpose. Moments are ms since the epoch, as numeric strings. */
export interface Invite {
  readonly uri: string;
  /** URI of the exchange, which exists once the invite is linked; null until then, unless a client has chosen it. */
  readonly exchange: string | null;
  readonly holder: string;
  readonly state: InviteState;
  readonly purpose: string;
  readonly connection: string | null;
  readonly created: string;
  readonly expires: string;
  readonly accepted: string | null;
  /** When the connection ended that the invite had led to; absent while it lasts. Bodies have it beside the nine fields. */
  readonly ended?: string;
  /**
   * How many links of the invite its holder has made worthless with version 0.2.0, so that they stay worthless; none when
   * absent. No part of bodies.
   */
  readonly linksEnded?: number;
}

/** The record that an accepted invite leads to: it ties purpose, holder, source and connection together. */
export interface Exchange {
  readonly uri: string;
  readonly invite: string;
  readonly purpose: string;
  readonly holder: string;
  readonly source: string;
  readonly connection: string;
  readonly accepted: string;
}

/** Lifetime of an invite without `expires`, in ms. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** Smaller numbers are moments before March 1973 in milliseconds, and up to the year 5138 in seconds. */
const AS_SECONDS = 100_000_000_000;

const stateField = z.enum(INVITE_STATES, `must be one of ${INVITE_STATES.join(', ')}`);

/** The body of `PUT`, and of answers: the nine fields of the specification, and `ended` once that is so. */
export const inviteSchema = z.strictObject(
  {
    uri: uriField.nullable(),
    exchange: uriField.nullable(),
    holder: uriField.nullable(),
    state: stateField.nullable(),
    purpose: uriField,
    connection: uriField.nullable(),
    created: momentField.nullable(),
    expires: momentField.nullable(),
    accepted: momentField.nullable(),
    ended: momentField.nullable().optional().describe('when its connection ended; assigned by the service'),
  },
  'must be an invite with its nine fields',
);

/** The body of `POST`: fields that are absent or null are assigned by the service. */
export const newInviteSchema = inviteSchema.partial().required({ purpose: true });

export type NewInvite = z.output<typeof newInviteSchema>;
/** The body of a `PUT`; null for fields that the service assigns. */
export type WantedInvite = z.output<typeof inviteSchema>;

/** @throws InvalidInput */
export const readNewInvite = (body: unknown): NewInvite => check(newInviteSchema, body);
/** @throws InvalidInput */
export const readInvite = (body: unknown): WantedInvite => check(inviteSchema, body);

/**
 * Makes an invite. `now`: ms since the epoch.
 * @throws Problem 409 when the body says that the invite is linked; InvalidInput when it could never be accepted
 */
export function newInvite(
  wanted: NewInvite & { holder: string },
  assigned: { uri: string; now: number },
): Invite {
  const { uri, state } = wanted;
  if ((state ?? 'not linked') !== 'not linked' || wanted.connection || wanted.accepted || wanted.ended) {
    throw conflict('A new invite is "not linked": it has no connection and is not accepted yet');
  }
  return {
    uri: uri ?? assigned.uri,
    exchange: wanted.exchange ?? null,
    holder: wanted.holder,
    state: 'not linked',
    purpose: wanted.purpose,
    connection: null,
    ...lifetime(wanted, assigned.now),
    accepted: null,
  };
}

/**
 * The invite without the connection that it named, which has ended: `connection` is null while none exists (specification
 * of the service, "Invite"). A linked one says when. `now`: ms since the epoch; `exchange`: what remains of that.
 */
export function endInvite(
  invite: Invite,
  { now, exchange }: { now: number; exchange: string | null },
): Invite {
  const without = { ...invite, connection: null, exchange };
  return invite.state === 'linked' ? { ...without, ended: String(now) } : without;
}

/**
 * The JSON form of the specification, with `ended` where the connection has ended. Invites that version 0.2.0 has stored
 * have more fields.
 */
export function inviteBody({ linksEnded: _, ...invite }: Invite & { readonly inviter?: unknown }): object {
  const { inviter: __, ...fields } = invite;
  return fields;
}

/** @throws InvalidInput when the invite would expire before it can be accepted */
function lifetime(wanted: NewInvite, now: number): Pick<Invite, 'created' | 'expires'> {
  const created = Number(wanted.created ?? now);
  const expires = Number(wanted.expires ?? Math.min(Math.max(created, now) + LIFETIME_MS, LAST_MOMENT));
  const fault = expires <= now ? past(expires, now) : expires <= created ? beforeCreated(created) : undefined;
  if (fault === undefined) return { created: String(created), expires: String(expires) };
  throw invalidBody([{ pointer: '/expires', detail: fault }]);
}

function past(expires: number, now: number): string {
  const said = `expires is past: ${expires} is ${new Date(expires).toISOString()} in milliseconds since 1970, and now is ${now}`;
  return expires < AS_SECONDS ? `${said} (the number looks like seconds)` : said;
}

function beforeCreated(created: number): string {
  return `expires is not after created, which is ${created}; both are in milliseconds since 1970`;
}

/** The error for a change that the state of an invite does not allow. */
export function conflict(detail: string): Problem {
  return new Problem(409, detail);
}
