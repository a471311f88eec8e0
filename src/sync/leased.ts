import type { Source } from '../component/source.js';
import type { PollOutcome } from '../explain/poll-report.js';
import { LeaseLost } from '../keep/faults.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { SharedPolls } from '../registry/open-registry.js';
import type { Registry } from '../registry/registry.js';

type Commit = Registry['commit'];

/**
 * Polls a source when it is this node's turn; resolves with nothing while another node polls it, or where
 * nothing is polled.
 */
export type InTurn = (
  source: Source,
  poll: (commit: Commit) => Promise<PollOutcome | undefined>,
) => Promise<PollOutcome | undefined>;

interface LeasedParts {
  readonly shared: Pick<SharedPolls, 'take'>;
  readonly commit: Commit;
  readonly log: LogTo<'warn'>;
}

/**
 * Where other nodes poll the same sources into the same registry: a lease around each poll, which fences its
 * commits.
 */
export function leased({ shared, commit, log }: LeasedParts): InTurn {
  return async (source, poll) => {
    const lease = await shared.take(source);
    try {
      return await (lease && poll((change) => commit({ ...change, lease })));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.warn({ kind: source.kind, source: source.url }, explain(error));
      return undefined;
    } finally {
      await lease?.release();
    }
  };
}
