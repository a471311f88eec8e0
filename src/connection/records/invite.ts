import * as z from 'zod';
import { momentField, uriField } from '../fields.js';
import type { Connection } from './connection.js';

const INVITE_STATES = ['not linked', 'linking', 'linked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** The body of `PUT`, and of answers: the nine fields of the specification. */
export const inviteSchema = z.strictObject({
  uri: uriField.nullable(),
  exchange: uriField.nullable(),
  holder: uriField.nullable(),
  state: z.enum(INVITE_STATES, `must be one of ${INVITE_STATES.join(', ')}`).nullable(),
  purpose: uriField,
  connection: uriField.nullable(),
  created: momentField.nullable(),
  expires: momentField.nullable(),
  accepted: momentField.nullable(),
});

/** The body of `POST`: fields that are absent or null are assigned by the service. */
export const newInviteSchema = inviteSchema.partial().extend({ purpose: uriField });

/** The body of a `PUT`; null for fields that the service assigns. */
export type WantedInvite = z.output<typeof inviteSchema>;
export type NewInvite = z.output<typeof newInviteSchema>;

/** What every invite that is stored has. Moments are ms since the epoch, as numeric strings. */
type Stored = Record<'uri' | 'holder' | 'created' | 'expires', string> & { state: InviteState };
/** An invitation for a holder, tied to a purpose. Its exchange exists once it is linked, unless a client has named one. */
export type Invite = Readonly<WantedInvite & Stored>;

/** The JSON form of the specification. Invites of version 0.2.0 have more fields. */
export function inviteBody(invite: Invite): object {
  const fields = Object.keys(inviteSchema.shape) as (keyof Invite)[];
  return Object.fromEntries(fields.map((field) => [field, invite[field]]));
}

const text = z.string();
/** What a linked invite has led to, which ties purpose, holder, source and connection together, and lasts as long as these. */
export const exchangeSchema = z.object({
  ...{ uri: text, invite: text, purpose: text, holder: text },
  ...{ source: text, connection: text, accepted: text },
});

export function exchangeBody({ uri, purpose, holder, exchange, accepted }: Invite, to: Connection): object {
  return { uri: exchange, invite: uri, purpose, holder, source: to.source, connection: to.uri, accepted };
}
