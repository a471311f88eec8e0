import * as z from 'zod';
import { momentField, uriField } from '../fields.js';

export const INVITE_STATES = ['not linked', 'linking', 'linked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** The body of `PUT`, and of answers: the nine fields of the specification. */
export const inviteSchema = z.strictObject(
  {
    uri: uriField.nullable(),
    exchange: uriField.nullable(),
    holder: uriField.nullable(),
    state: z.enum(INVITE_STATES, `must be one of ${INVITE_STATES.join(', ')}`).nullable(),
    purpose: uriField,
    connection: uriField.nullable(),
    created: momentField.nullable(),
    expires: momentField.nullable(),
    accepted: momentField.nullable(),
  },
  'must be an invite with its nine fields',
);

/** The body of `POST`: fields that are absent or null are assigned by the service. */
export const newInviteSchema = inviteSchema.partial().required({ purpose: true });

/** The body of a `PUT`; null for fields that the service assigns. */
export type WantedInvite = z.output<typeof inviteSchema>;
export type NewInvite = z.output<typeof newInviteSchema>;

/** What every invite that is stored has. Moments are ms since the epoch, as numeric strings. */
type Assigned = Record<'uri' | 'holder' | 'created' | 'expires', string> & { state: InviteState };
/** An invitation for a holder, tied to a purpose. Its exchange exists once it is linked, unless a client has named one. */
export type Invite = Readonly<WantedInvite & Assigned>;

/** The record that an accepted invite leads to: it ties purpose, holder, source and connection together. */
export const exchangeSchema = z.object({
  uri: z.string(),
  invite: z.string(),
  purpose: z.string(),
  holder: z.string(),
  source: z.string(),
  connection: z.string(),
  accepted: z.string(),
});
export type Exchange = Readonly<z.output<typeof exchangeSchema>>;
