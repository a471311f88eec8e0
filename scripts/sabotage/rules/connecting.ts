/** The connection service: what belongs to whom, and what happens once. */
import { breaks, type Rule } from '../rule.js';

export const CONNECTING: readonly Rule[] = [
  breaks<typeof import('../../../src/connection/invites/invite-state.js')>({
    name: 'an invite is accepted twice',
    module: 'connection/invites/invite-state',
    broken: ({ acceptInvite, refuseUnusable }) => ({
      acceptInvite: (invite, connection, assigned) =>
        acceptInvite({ ...invite, state: 'not linked', exchange: null }, connection, assigned),
      refuseUnusable: (invite, now) => refuseUnusable({ ...invite, state: 'not linked' }, now),
    }),
    suite: 'test/acceptance/connection/accept.test.ts',
  }),
  breaks<typeof import('../../../src/connection/invites/invite-link.js')>({
    name: 'the signature of a link is not checked',
    module: 'connection/invites/invite-link',
    broken: () => ({ isGenuine: () => true }),
    suite: 'test/acceptance/connection/accept.test.ts',
  }),
  breaks<typeof import('../../../src/connection/records/records.js')>({
    name: "another holder's record is shown",
    module: 'connection/records/records',
    broken: ({ Records }) => ({
      Records: class extends Records {
        override named: typeof Records.prototype.named = (kind, uri) => super.named(kind, uri);
      },
    }),
    suite: 'test/acceptance/connection/isolation.test.ts',
  }),
  breaks<typeof import('../../../src/connection/tokens/access.js')>({
    name: 'a holder makes records of others',
    module: 'connection/tokens/access',
    broken: ({ holderFor }) => ({
      holderFor: (access, named) => named ?? holderFor(access, named),
    }),
    suite: 'test/acceptance/connection/isolation.test.ts',
  }),
];
