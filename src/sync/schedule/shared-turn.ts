import type { PollReport } from '../../explain/poll-report.js';
import { explain } from '../../lib/faults.js';
import { type Lease, LeaseLost, type SharedPolls } from '../../registry/shared-polls.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { SyncLog } from '../sync-log.js';
import type { Polling } from './polling.js';
import { type SourcePlan, unpolled } from './source-plan.js';

/** When it is tried again to poll a source that another node is polling, in ms. */
export const TURN_RETRY = 1_000;

/** Whose turn it is: this node's (with a lease, where there are others), or another node's; or it has been polled already. */
type Turn = { readonly lease?: Lease } | 'elsewhere' | 'polled';

interface TurnParts extends Pick<Polling, 'registry' | 'clock'> {
  readonly shared?: SharedPolls | undefined;
  readonly log: SyncLog;
}

/** Polls a source that is due, unless another node does. `poll` is given the registry, which takes its changes as long as it is its turn. */
export async function pollInTurn(
  entry: SourcePlan,
  parts: TurnParts,
  poll: (registry: Polling['registry']) => Promise<PollReport>,
): Promise<PollReport> {
  entry.elsewhere = false;
  const turn = await takeTurn(entry, parts);
  if (typeof turn === 'string') return unpolled(entry.source);
  const { lease } = turn;
  try {
    entry.abort.signal.throwIfAborted();
    return await poll(lease ? underLease(parts.registry, lease) : parts.registry);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    const { source } = entry.source;
    parts.log.warn({ kind: source.kind, source: source.url }, explain(error));
    leaveToOthers(entry, parts);
    return unpolled(entry.source);
  } finally {
    await lease?.release();
  }
}

function underLease(registry: Polling['registry'], lease: Lease): Polling['registry'] {
  return {
    source: (source) => registry.source(source),
    commit: (change) => registry.commit({ ...change, lease }),
  };
}

function leaveToOthers(entry: SourcePlan, { clock }: Pick<TurnParts, 'clock'>): void {
  entry.elsewhere = true;
  entry.nextAttempt = clock.now() + TURN_RETRY;
}

async function takeTurn(entry: SourcePlan, parts: TurnParts): Promise<Turn> {
  const { shared, clock } = parts;
  if (!shared) return {};
  const lease = await shared.take(entry.source.source);
  if (!lease) {
    leaveToOthers(entry, parts);
    return 'elsewhere';
  }
  const { record } = lease;
  const isPlanned = entry.asked > 0 || (record?.nextAttempt ?? 0) > clock.now();
  if (!record || !isPlanned || !isNews(entry, record)) return { lease };
  await lease.release();
  adopt(entry, record);
  return 'polled';
}

/** Another node has polled the source: its next time is the one that is stored, unless something was asked for since. */
export function adopt(entry: SourcePlan, record: SourceRecord): void {
  if (!isNews(entry, record)) return;
  const { lastAttempt: known = 0, nextAttempt = 0, failures, heldUntil } = record;
  Object.assign(entry, { known, nextAttempt, heldUntil, failing: failures > 0, suspect: false, asked: 0 });
}

/** Has somebody polled the source since the last poll that this node knows of, and since it was asked for? */
function isNews({ known, asked }: SourcePlan, { lastAttempt = 0 }: SourceRecord): boolean {
  return lastAttempt > known && lastAttempt >= asked;
}
