/** The one door out: the guarded fetch. */
import type * as address from '../../../src/lib/fetch/address.js';
import type * as bodyStream from '../../../src/lib/fetch/body-stream.js';
import type * as checkedLookup from '../../../src/lib/fetch/checked-lookup.js';
import type * as hop from '../../../src/lib/fetch/hop.js';
import { breaks } from '../rule.js';

const LOOKUP = 'test/lib/fetch/checked-lookup.test.ts';

export const FETCHING = [
  breaks<typeof hop>('lib/fetch/hop', 'test/lib/fetch/guarded-fetch-trust.test.ts', {
    'a redirect into a private network is followed': ({ nextHop }) => ({
      nextHop: (hop, ...to) => ({ ...nextHop(hop, ...to), trust: hop.trust }),
    }),
    'credentials are kept over a redirect': ({ nextHop }) => ({
      nextHop: (hop, ...to) => ({ ...nextHop(hop, ...to), atHome: true }),
    }),
  }),
  breaks<typeof address>('lib/fetch/address', LOOKUP, {
    'private addresses count as public': () => ({ isPublicAddress: () => true }),
  }),
  breaks<typeof checkedLookup>('lib/fetch/checked-lookup', LOOKUP, {
    'of the addresses of a name only the first is checked': ({ checkedLookup }) => ({
      checkedLookup: (lookup, publicOnly) =>
        checkedLookup(async (host) => (await lookup(host)).slice(0, 1), publicOnly),
    }),
  }),
  breaks<typeof bodyStream>('lib/fetch/body-stream', 'test/lib/fetch/body-stream.test.ts', {
    'a body may be larger than its limit': ({ decodedBody }) => ({
      decodedBody: (raw, encoding) => decodedBody(raw, encoding, Number.MAX_SAFE_INTEGER),
    }),
  }),
];
