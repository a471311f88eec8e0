/** The one door out: the guarded fetch. */
import { breaks, type Rule } from '../rule.js';

export const FETCHING: readonly Rule[] = [
  breaks<typeof import('../../../src/lib/fetch/hop.js')>({
    name: 'a redirect into a private network is followed',
    module: 'lib/fetch/hop',
    broken: ({ nextHop }) => ({
      nextHop: (hop, location, authenticated) => ({
        ...nextHop(hop, location, authenticated),
        trust: hop.trust,
      }),
    }),
    suite: 'test/lib/fetch/guarded-fetch-trust.test.ts',
  }),
  breaks<typeof import('../../../src/lib/fetch/hop.js')>({
    name: 'credentials are kept over a redirect',
    module: 'lib/fetch/hop',
    broken: ({ nextHop }) => ({
      nextHop: (hop, location, authenticated) => ({ ...nextHop(hop, location, authenticated), atHome: true }),
    }),
    suite: 'test/lib/fetch/guarded-fetch-trust.test.ts',
  }),
  breaks<typeof import('../../../src/lib/fetch/address.js')>({
    name: 'private addresses count as public',
    module: 'lib/fetch/address',
    broken: () => ({ isPublicAddress: () => true }),
    suite: 'test/lib/fetch/checked-lookup.test.ts',
  }),
  breaks<typeof import('../../../src/lib/fetch/checked-lookup.js')>({
    name: 'of the addresses of a name only the first is checked',
    module: 'lib/fetch/checked-lookup',
    broken: ({ checkedLookup }) => ({
      checkedLookup: (lookup, publicOnly) =>
        checkedLookup(async (host) => (await lookup(host)).slice(0, 1), publicOnly),
    }),
    suite: 'test/lib/fetch/checked-lookup.test.ts',
  }),
  breaks<typeof import('../../../src/lib/fetch/body-stream.js')>({
    name: 'a body may be larger than its limit',
    module: 'lib/fetch/body-stream',
    broken: ({ decodedBody }) => ({
      decodedBody: (raw, encoding) => decodedBody(raw, encoding, Number.MAX_SAFE_INTEGER),
    }),
    suite: 'test/lib/fetch/body-stream.test.ts',
  }),
];
