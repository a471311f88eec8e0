/** The one door out: the guarded fetch. */
import { type Broken, breaks } from '../rule.js';

export const FETCHING: Broken = {
  'test/lib/fetch/guarded-fetch-trust.test.ts': breaks<typeof import('../../../src/lib/fetch/hop.js')>(
    'lib/fetch/hop',
    {
      'a redirect into a private network is followed': ({ nextHop }) => ({
        nextHop: (hop, location, authenticated) => ({
          ...nextHop(hop, location, authenticated),
          trust: hop.trust,
        }),
      }),
      'credentials are kept over a redirect': ({ nextHop }) => ({
        nextHop: (hop, location, authenticated) => ({
          ...nextHop(hop, location, authenticated),
          atHome: true,
        }),
      }),
    },
  ),
  'test/lib/fetch/checked-lookup.test.ts': [
    breaks<typeof import('../../../src/lib/fetch/address.js')>('lib/fetch/address', {
      'private addresses count as public': () => ({ isPublicAddress: () => true }),
    }),
    breaks<typeof import('../../../src/lib/fetch/checked-lookup.js')>('lib/fetch/checked-lookup', {
      'of the addresses of a name only the first is checked': ({ checkedLookup }) => ({
        checkedLookup: (lookup, publicOnly) =>
          checkedLookup(async (host) => (await lookup(host)).slice(0, 1), publicOnly),
      }),
    }),
  ],
  'test/lib/fetch/body-stream.test.ts': breaks<typeof import('../../../src/lib/fetch/body-stream.js')>(
    'lib/fetch/body-stream',
    {
      'a body may be larger than its limit': ({ decodedBody }) => ({
        decodedBody: (raw, encoding) => decodedBody(raw, encoding, Number.MAX_SAFE_INTEGER),
      }),
    },
  ),
};
