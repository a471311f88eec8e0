/** What the node answers, and to whom; what belongs to whom in the connection service, and happens once. */
import type * as inviteLink from '../../../src/connection/invites/invite-link.js';
import type * as inviteState from '../../../src/connection/invites/invite-state.js';
import type * as records from '../../../src/connection/records/records.js';
import type * as access from '../../../src/connection/tokens/access.js';
import type * as operator from '../../../src/http/access/operator.js';
import type * as ownOrigin from '../../../src/http/access/own-origin.js';
import type * as entityTags from '../../../src/http/entity-tags.js';
import type * as conditional from '../../../src/lib/http/response/conditional.js';
import type * as loadingApp from '../../../src/node/loading-app.js';
import { breaks } from '../rule.js';

const ACCEPT = 'test/acceptance/connection/accept.test.ts';
const ISOLATION = 'test/acceptance/connection/isolation.test.ts';

export const ANSWERING = [
  breaks<typeof entityTags>('http/entity-tags', 'test/http/entity-tags.test.ts', {
    'two representations have one tag': ({ entityTags }) => ({
      entityTags: (version) => (naming, revision) => entityTags(version)(naming, revision, 'any'),
    }),
  }),
  breaks<typeof conditional>('lib/http/response/conditional', 'test/lib/http/response/conditional.test.ts', {
    'If-Modified-Since is believed within the second of a change': ({ isNotModified }) => ({
      isNotModified: (conditions, { since, ...others }, now) =>
        isNotModified(conditions, { ...others, since: since - 1000 }, now),
    }),
  }),
  breaks<typeof ownOrigin>('http/access/own-origin', 'test/acceptance/http/access/own-origin.test.ts', {
    'a website may write to an open node': () => ({ refuseOtherSites: () => undefined }),
  }),
  breaks<typeof operator>('http/access/operator', 'test/acceptance/http/components/publish.test.ts', {
    'any token is the operator token': () => ({
      requireOperator: () => undefined,
      requireWriter: () => undefined,
      isOperator: () => true,
    }),
  }),
  breaks<typeof loadingApp>(
    'node/loading-app',
    'test/acceptance/lifecycle.test.ts answers 503 or nothing until it can answer in full',
    {
      'an empty list is answered while the node loads': ({ createLoadingApp }) => ({
        createLoadingApp(parts) {
          const app = createLoadingApp(parts);
          const { fetch } = app;
          app.fetch = (asked, ...more) =>
            new URL(asked.url).pathname === '/component' ? Response.json([]) : fetch(asked, ...more);
          return app;
        },
      }),
    },
  ),
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
