import type { Source } from '../component/source.js';
import { isAnswered, type Plan } from '../core/due.js';
import type { SourceRecord } from '../core/source-record.js';
import { LeaseLost } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { Registry } from '../registry/registry.js';
import type { SharedPolls } from '../registry/shared-polls.js';
import type { PollOutcome } from './poll.js';

/** Another node polls the source, or has just done so: then there is its record. */
export interface Elsewhere {
  readonly elsewhere: true;
  readonly record?: SourceRecord | undefined;
}

type PollRegistry = Pick<Registry, 'commit' | 'source'>;

/** Polls a source when it is this node's turn. `plan` says since when a poll elsewhere would be news. */
export type InTurn = (
  source: Source,
  plan: Plan,
  poll: (registry: PollRegistry) => Promise<PollOutcome>,
) => Promise<PollOutcome | Elsewhere>;

/** Where nobody else polls. */
export function alone(registry: PollRegistry): InTurn {
  return (_, _plan, poll) => poll(registry);
}

interface LeasedParts {
  readonly shared: SharedPolls;
  readonly registry: PollRegistry;
  readonly clock: Clock;
  readonly log: LogTo<'warn'>;
}

/** Where other nodes poll the same sources into the same registry: a lease around each poll, which fences its commits. */
export function leased({ shared, registry, clock, log }: LeasedParts): InTurn {
  return async (source, plan, poll) => {
    const lease = await shared.take(source);
    if (!lease) return { elsewhere: true };
    try {
      const { record } = lease;
      const isWaitedFor = plan.asked > 0 || (record?.nextAttempt ?? 0) > clock.now();
      const isNews = record && (record.lastAttempt ?? 0) > plan.began && isAnswered(plan, record);
      if (isNews && isWaitedFor) return { elsewhere: true, record };
      return await poll({
        source: (one) => registry.source(one),
        commit: (change) => registry.commit({ ...change, lease }),
      });
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.warn({ kind: source.kind, source: source.url }, explain(error));
      return { elsewhere: true };
    } finally {
      await lease.release();
    }
  };
}
