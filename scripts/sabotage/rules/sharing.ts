/** Several processes that share what they keep. */
import type * as leased from '../../../src/sync/leased.js';
import type * as feedReader from '../../../src/sync/peer/feed-reader.js';
import { breaks } from '../rule.js';

const SIMULATION = 'test/scripts/simulate/simulation.test.ts';

export const SHARING = [
  breaks<typeof leased>('sync/leased', `${SIMULATION} of clusters breaks no rule`, {
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
  breaks<typeof feedReader>('sync/peer/feed-reader', `${SIMULATION} brings every change to every reader`, {
    'the digests of a peer are forgotten, so that its changes contradict them and it is read anew': ({
      readFeed,
    }) => ({
      readFeed(polling, ...more) {
        const { feed } = polling.remembered;
        const remembered = { ...polling.remembered, feed: feed && { ...feed, lines: [] } };
        return readFeed({ ...polling, remembered }, ...more);
      },
    }),
  }),
];
