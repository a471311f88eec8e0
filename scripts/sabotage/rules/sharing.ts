/** Several processes that share what they keep. */
import { type Broken, breaks } from '../rule.js';

export const SHARING: Broken = {
  'test/scripts/simulate/simulation.test.ts of clusters breaks no rule': breaks<
    typeof import('../../../src/sync/leased.js')
  >('sync/leased', {
    'a node keeps the leases of sources that it has polled': ({ leased }) => ({
      leased(parts) {
        const take: typeof parts.shared.take = async (source) => {
          const lease = await parts.shared.take(source);
          return lease && { ...lease, release: async () => undefined };
        };
        return leased({ ...parts, shared: { take } });
      },
    }),
  }),
  'test/scripts/simulate/simulation.test.ts brings every change to every reader': breaks<
    typeof import('../../../src/sync/peer/feed-reader.js')
  >('sync/peer/feed-reader', {
    'the digests of a peer are forgotten, so that its changes contradict them and it is read anew': ({
      readFeed,
    }) => ({
      readFeed(polling, lists, since) {
        const { feed } = polling.remembered;
        const remembered = { ...polling.remembered, feed: feed && { ...feed, lines: [] } };
        return readFeed({ ...polling, remembered }, lists, since);
      },
    }),
  }),
  'test/keep/memory-keep.test.ts lets its owner commit': breaks<
    typeof import('../../../src/keep/local-service.js')
  >('keep/local-service', {
    'a node that was paused stores what it had read, although another has the lease': (original) => ({
      LocalService: class<S extends LocalStore> extends original.LocalService<S> {
        override async holds(): Promise<boolean> {
          return true;
        }
      },
    }),
  }),
};

type LocalStore = import('../../../src/keep/local-service.js').LocalStore;
