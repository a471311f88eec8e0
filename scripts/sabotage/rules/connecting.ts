/** The connection service: what belongs to whom, and what happens once. */
import type * as inviteLink from '../../../src/connection/invites/invite-link.js';
import type * as inviteState from '../../../src/connection/invites/invite-state.js';
import type * as records from '../../../src/connection/records/records.js';
import type * as access from '../../../src/connection/tokens/access.js';
import { breaks } from '../rule.js';

const ACCEPT = 'test/acceptance/connection/accept.test.ts';
const ISOLATION = 'test/acceptance/connection/isolation.test.ts';

export const CONNECTING = [
  breaks<typeof inviteState>('connection/invites/invite-state', ACCEPT, {
    'an invite is accepted twice': ({ acceptInvite, refuseUnusable }) => ({
      acceptInvite: (invite, connection, assigned) =>
        acceptInvite({ ...invite, state: 'not linked', exchange: null }, connection, assigned),
      refuseUnusable: (invite, now) => refuseUnusable({ ...invite, state: 'not linked' }, now),
    }),
  }),
  breaks<typeof inviteLink>('connection/invites/invite-link', ACCEPT, {
    'the signature of a link is not checked': () => ({ isGenuine: () => true }),
  }),
  breaks<typeof records>('connection/records/records', ISOLATION, {
    "another holder's record is shown": ({ Records }) => ({
      Records: class extends Records {
        override named: typeof Records.prototype.named = (kind, uri) => super.named(kind, uri);
      },
    }),
  }),
  breaks<typeof access>('connection/tokens/access', ISOLATION, {
    'a holder makes records of others': ({ holderFor }) => ({
      holderFor: (access, named) => named ?? holderFor(access, named),
    }),
  }),
];
