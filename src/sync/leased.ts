import type { Source } from '../component/source.js';
import { LeaseLost } from '../keep/faults.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { Registry } from '../registry/registry.js';
import type { SharedPolls } from '../registry/shared-polls.js';
import type { PollOutcome } from './poll.js';

type PollRegistry = Pick<Registry, 'commit' | 'source'>;

/** Polls a source when it is this node's turn; resolves with nothing while another node polls it, or where nothing is polled. */
export type InTurn = (
  source: Source,
  poll: (registry: PollRegistry) => Promise<PollOutcome | undefined>,
) => Promise<PollOutcome | undefined>;

/** Where nobody else polls. */
export function alone(registry: PollRegistry): InTurn {
  return (_, poll) => poll(registry);
}

interface LeasedParts {
  readonly shared: Pick<SharedPolls, 'take'>;
  readonly registry: PollRegistry;
  readonly log: LogTo<'warn'>;
}

/** Where other nodes poll the same sources into the same registry: a lease around each poll, which fences its commits. */
export function leased({ shared, registry, log }: LeasedParts): InTurn {
  return async (source, poll) => {
    const lease = await shared.take(source);
    try {
      return await (lease &&
        poll({
          source: (one) => registry.source(one),
          commit: (change) => registry.commit({ ...change, lease }),
        }));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.warn({ kind: source.kind, source: source.url }, explain(error));
      return undefined;
    } finally {
      await lease?.release();
    }
  };
}
