import type { Source } from '../../component/source.js';
import { firstAttempt, largestPhase, latestAttempt, type Now } from '../../core/poll-times.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import type { PollReport } from '../../explain/poll-report.js';
import { LeaseLost } from '../../keep/faults.js';
import type { Clock, Random } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { LogTo } from '../../lib/log.js';
import { TokenBucket } from '../../lib/token-bucket.js';
import { NO_CHANGE } from '../../registry/change.js';
import type { Registry } from '../../registry/registry.js';
import type { Lease, SharedPolls } from '../../registry/shared-polls.js';
import type { SyncSource } from '../sync-source.js';
import type { Polling } from './poll.js';
import { afterRestart, isSuspect, LONGEST_PAUSE } from './source-state.js';
import type { Timetable } from './timetable.js';

export interface SourcePlan {
  source: SyncSource;
  nextAttempt: number;
  /** When somebody has asked for a poll, or hinted at news: a poll that has begun since then will do. 0 when nobody has. */
  asked: number;
  /** When the latest poll began that this node knows of, its own or that of another node that shares the registry. */
  latest: number;
  /** Until when it is paused, because the process has died again and again while it was read. */
  heldUntil: number | undefined;
  /** Has the process died while it was read the last time? */
  suspect: boolean;
  /** Does it wait because its last poll has failed? */
  failing: boolean;
  /** Could only a change of the source end that? */
  permanent: boolean;
  /** When its last poll began, ms since the epoch. */
  began: number;
  /** Has a hint come since? */
  hinted: boolean;
  /** Polls because of hints, of a learned source: who hints all the time gets no more than its share. */
  readonly hints: TokenBucket | undefined;
  /** Has an operator accepted that it says much less than before? */
  acceptShrink: boolean;
  /** How long after the schedule's times this one is polled, in ms. */
  readonly phase: number;
  readonly abort: AbortController;
  /** The poll that is under way, or waits for its turn. */
  poll?: Promise<PollReport> | undefined;
  /** Has that poll begun? */
  begun: boolean;
  /** Was it left to another node, which polls the source just now? */
  elsewhere: boolean;
}

/** Least time between the beginnings of two polls of a source because of hints, in ms. */
const DISTANCE = 1000;
/** The same of a source that has failed, and may have been mended, or has come back. */
const MENDED_DISTANCE = 10_000;
/** Polls of a learned source because of hints: so many at once, and one more in each of these times, in ms. */
const LEARNED = { burst: 5, each: 10_000 } as const;

function hintsOf(trust: Trust): TokenBucket | undefined {
  return trust === 'learned' ? new TokenBucket(LEARNED.burst, LEARNED.each) : undefined;
}

/** When a source may be polled because of a hint, ms since the epoch. */
export function hintedPoll({ began, failing, hints }: SourcePlan, now: number): number {
  // A clock that was set back must not keep hints waiting until it has caught up.
  const since = Math.min(began, now);
  return Math.max(since + (failing ? MENDED_DISTANCE : DISTANCE), now + (hints?.wait(now) ?? 0));
}

/** Has the time of the next poll come? It has, too, when it is so far away that the clock must have been set back. */
export function isDue({ nextAttempt, failing, heldUntil }: SourcePlan, at: Now): boolean {
  const latest = heldUntil === undefined ? latestAttempt({ failing }, at) : at.now + LONGEST_PAUSE;
  return nextAttempt <= at.now || nextAttempt > latest;
}

type Plan = Pick<SourcePlan, 'nextAttempt' | 'heldUntil' | 'phase'>;

/** When to poll a source for the first time, and what is remembered of it from now on. */
export function firstPlan(
  stored: StoredSource | undefined,
  parts: { readonly clock: Clock; readonly timetable: Timetable; readonly random: Random },
): { readonly record: SourceRecord | undefined; readonly plan: Plan } {
  const { clock, timetable, random } = parts;
  const now = { now: clock.now(), next: timetable.next(), interval: timetable.interval };
  const record = stored && afterRestart(stored.record, clock.now(), random);
  const { heldUntil } = record ?? {};
  const nextAttempt = heldUntil ?? firstAttempt(record, now, random);
  return { record, plan: { nextAttempt, heldUntil, phase: random() * largestPhase(timetable.interval) } };
}

/** The plan of a source whose polls begin now, or again after a restart. */
export function sourcePlan(source: SyncSource, record: SourceRecord | undefined, plan: Plan): SourcePlan {
  return {
    source,
    ...plan,
    asked: 0,
    latest: record?.lastAttempt ?? 0,
    suspect: isSuspect(record),
    failing: (record?.failures ?? 0) > 0,
    permanent: record?.permanent === true,
    began: 0,
    hinted: false,
    hints: hintsOf(source.trust),
    acceptShrink: false,
    abort: new AbortController(),
    begun: false,
    elsewhere: false,
  };
}

/** Stores that a source is paused, so that it is paused after another restart, too. */
export async function notePaused(
  source: Source,
  heldUntil: number,
  { registry, log }: { readonly registry: Pick<Registry, 'commit'>; readonly log: LogTo<'warn'> },
): Promise<void> {
  log.warn({ kind: source.kind, source: source.url, heldUntil }, 'source paused');
  const record = (current: SourceRecord) => ({ ...current, heldUntil, nextAttempt: heldUntil });
  await registry
    .commit({ source, documents: [], record })
    .catch((error) => log.warn({ error: explain(error) }, 'that a source is paused could not be stored'));
}

/** The report of a source that is not polled now. `error`: why not, where that is no success. */
export function unpolled({ source }: SyncSource, error?: string): PollReport {
  const report = { source, durationMs: 0, ...NO_CHANGE };
  return error === undefined ? { ...report, ok: true } : { ...report, ok: false, error };
}

export const STOPPED = 'The poll was stopped';

/**
 * Aborts the poll of a source, and resolves when it has ended. A poll that still waits for its turn is not waited
 * for: it ends as soon as its turn comes, and others may be long before it.
 */
export async function endPoll(entry: SourcePlan): Promise<void> {
  entry.abort.abort(new Error(STOPPED));
  if (entry.begun) await entry.poll;
}

/** When it is tried again to poll a source that another node is polling, in ms. */
export const TURN_RETRY = 1_000;

/** Whose turn it is: this node's (with a lease, where there are others), or another node's; or it has been polled already. */
type Turn = { readonly lease?: Lease } | 'elsewhere' | 'polled';

interface TurnParts extends Pick<Polling, 'registry' | 'clock'> {
  readonly shared?: SharedPolls | undefined;
  readonly log: LogTo<'warn'>;
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
  const { lastAttempt: latest = 0, nextAttempt = 0, failures, permanent = false, heldUntil } = record;
  const state = { failing: failures > 0, permanent, suspect: false, asked: 0 };
  Object.assign(entry, { latest, nextAttempt, heldUntil, ...state });
}

/** Has somebody polled the source since the last poll that this node knows of, and since it was asked for? */
function isNews({ latest, asked }: SourcePlan, { lastAttempt = 0 }: SourceRecord): boolean {
  return lastAttempt > latest && lastAttempt >= asked;
}
