/** The connection service: what belongs to whom, and what happens once. */
import { type Broken, breaks } from '../rule.js';

export const CONNECTING: Broken = {
  'test/acceptance/connection/accept.test.ts': [
    breaks<typeof import('../../../src/connection/invites/invite-state.js')>(
      'connection/invites/invite-state',
      {
        'an invite is accepted twice': ({ acceptInvite, refuseUnusable }) => ({
          acceptInvite: (invite, connection, assigned) =>
            acceptInvite({ ...invite, state: 'not linked', exchange: null }, connection, assigned),
          refuseUnusable: (invite, now) => refuseUnusable({ ...invite, state: 'not linked' }, now),
        }),
      },
    ),
    breaks<typeof import('../../../src/connection/invites/invite-link.js')>(
      'connection/invites/invite-link',
      {
        'the signature of a link is not checked': () => ({ isGenuine: () => true }),
      },
    ),
  ],
  'test/acceptance/connection/isolation.test.ts': [
    breaks<typeof import('../../../src/connection/records/records.js')>('connection/records/records', {
      "another holder's record is shown": ({ Records }) => ({
        Records: class extends Records {
          override named: typeof Records.prototype.named = (kind, uri) => super.named(kind, uri);
        },
      }),
    }),
    breaks<typeof import('../../../src/connection/tokens/access.js')>('connection/tokens/access', {
      'a holder makes records of others': ({ holderFor }) => ({
        holderFor: (access, named) => named ?? holderFor(access, named),
      }),
    }),
  ],
};
