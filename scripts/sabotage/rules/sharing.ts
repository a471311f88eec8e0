/** Several processes that share what they keep. */
import { breaks, type Rule } from '../rule.js';

const LABORATORY = 'test/scripts/simulate/simulation.test.ts';

export const SHARING: readonly Rule[] = [
  breaks<typeof import('../../../src/sync/leased.js')>({
    name: 'a node keeps the leases of sources that it has polled',
    module: 'sync/leased',
    broken: ({ leased }) => ({
      leased(parts) {
        const take: typeof parts.shared.take = async (source) => {
          const lease = await parts.shared.take(source);
          return lease && { ...lease, release: async () => undefined };
        };
        return leased({ ...parts, shared: { take } });
      },
    }),
    suite: LABORATORY,
    tests: 'of clusters breaks no rule',
  }),
  breaks<typeof import('../../../src/sync/peer/feed-reader.js')>({
    name: 'the digests of a peer are forgotten, so that its changes contradict them and it is read anew',
    module: 'sync/peer/feed-reader',
    broken: ({ readFeed }) => ({
      readFeed(polling, lists, since) {
        const { feed } = polling.remembered;
        const remembered = { ...polling.remembered, feed: feed && { ...feed, lines: [] } };
        return readFeed({ ...polling, remembered }, lists, since);
      },
    }),
    suite: LABORATORY,
    tests: 'brings every change to every reader',
  }),
  breaks<typeof import('../../../src/keep/local-service.js')>({
    name: 'a node that was paused stores what it had read, although another has the lease',
    module: 'keep/local-service',
    broken: (original) => ({
      LocalService: class<S extends LocalStore> extends original.LocalService<S> {
        override commit(...[since, decide]: Parameters<Keep['commit']>) {
          return super.commit(since, decide);
        }
      },
    }),
    suite: 'test/keep/memory-keep.test.ts',
    tests: 'lets its owner commit',
  }),
];

type Keep = import('../../../src/keep/keep.js').Keep;
type LocalStore = import('../../../src/keep/local-service.js').LocalStore;
