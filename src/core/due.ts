import { backOff } from '../lib/back-off.js';
import type { Random } from '../lib/clock.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { ReadingEnd } from './reading.js';
import type { SourceRecord } from './source-record.js';

/** When a source is polled next (design, section 6). All times are ms since the epoch. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Longest wait between two tries of a source that fails, and the longest that a server can ask for. */
export const LONGEST_WAIT = HOUR;
/** Shortest wait that a server can ask for, where the schedule is not shorter anyway. */
const SHORTEST_RETRY_AFTER = 10 * SECOND;
/** However rare the polls: nobody who asks for "at three" expects them at four. */
const LARGEST_PHASE = 5 * MINUTE;
/** When it is tried again to poll a source that another node is polling. */
const ELSEWHERE = SECOND;

/** Polls because of hints: so many at once, and one more in each of these times. */
const HINTS = {
  failing: { burst: 1, each: MINUTE },
  learned: { burst: 5, each: 10 * SECOND },
  configured: { burst: 1, each: SECOND },
} as const;

export interface Plan {
  readonly due: number;
  readonly trust: Trust;
  /** How long after the times of the schedule it is polled: a thousand sources must not set off at once. */
  readonly phase: number;
  readonly failures: number;
  /** Does its data disagree with the digests that it tells? Then a hint changes nothing. */
  readonly disagrees: boolean;
  /** When the latest poll began, at this node or another one that shares the registry. */
  readonly began: number;
  /** When somebody asked for a poll, or hinted at news, since then; else 0. */
  readonly asked: number;
  /** From when on a poll because of a hint costs nothing of its rate. */
  readonly hintsFrom: number;
  /** The time before which its server wants no poll (`Retry-After`), else 0. */
  readonly notBefore: number;
}

export interface Now {
  readonly now: number;
  /** The next time that the schedule names. */
  readonly next: number;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly random: Random;
}

export type DueEvent =
  /** Something may have changed there, or a stream was lost. `after`: not before so many ms. */
  | { readonly kind: 'hint'; readonly after?: number }
  | { readonly kind: 'asked' }
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'polled' } & ReadingEnd)
  | { readonly kind: 'leased elsewhere' }
  | { readonly kind: 'polled elsewhere'; readonly record: SourceRecord };

/** At the start, or when a source is learned: what was never read is due at once; past times are spread. */
export function firstPlan(trust: Trust, record: SourceRecord = { failures: 0 }, at: Now): Plan {
  const { lastSuccess, nextAttempt = at.now } = record;
  const phase = at.random() * largestPhase(at.interval);
  const plan = { trust, phase, asked: 0, hintsFrom: 0, ...rememberedOf(record) };
  if (lastSuccess === undefined) return { ...plan, due: Math.max(at.now, heldUntil(plan, at.now)) };
  const isPlanned = nextAttempt > at.now && nextAttempt <= latestDue(plan, at);
  return { ...plan, due: isPlanned ? nextAttempt : at.now + at.random() * largestPhase(at.interval) };
}

/** A time that is too far away was planned before the clock was set back. */
export function isDue(plan: Plan, at: Now): boolean {
  return plan.due <= at.now || plan.due > latestDue(plan, at);
}

export function planAfter(plan: Plan, event: DueEvent, at: Now): Plan {
  const { now } = at;
  switch (event.kind) {
    case 'hint':
      return plan.disagrees ? plan : hinted({ ...plan, asked: now }, now + (event.after ?? 0), now);
    case 'asked':
      return { ...plan, asked: now, due: Math.min(plan.due, now) };
    case 'begun':
      return { ...plan, began: now, asked: 0 };
    case 'leased elsewhere':
      return { ...plan, due: now + ELSEWHERE };
    case 'polled':
      return polled(plan, event, at);
    case 'polled elsewhere':
      return polledElsewhere(plan, event.record);
  }
}

function polled(plan: Plan, { failure, notBefore: asked, disagrees = false }: ReadingEnd, at: Now): Plan {
  const notBefore = askedFor(failure?.notBefore ?? asked, at);
  const after = { ...plan, failures: failure ? plan.failures + 1 : 0, disagrees, notBefore };
  // What the server asks for decides when it is tried again, and no source that could be read is polled
  // before its time.
  const due = failure ? notBefore || retryAt(after, at) : Math.max(at.next + plan.phase, notBefore);
  // What was hinted at since the poll began may not be in what it has read.
  const isNews = plan.asked > 0 && !disagrees;
  return isNews ? hinted({ ...after, due }, at.now, at.now) : { ...after, due };
}

/** Its next time is the one that is stored, unless something was asked for since. */
function polledElsewhere(plan: Plan, record: SourceRecord): Plan {
  const { lastAttempt = 0, nextAttempt = 0 } = record;
  if (lastAttempt <= plan.began || lastAttempt < plan.asked) return plan;
  return { ...plan, ...rememberedOf(record), asked: 0, due: nextAttempt };
}

function rememberedOf({ failures, disagrees = false, lastAttempt = 0, notBefore = 0 }: SourceRecord) {
  return { failures, disagrees, began: lastAttempt, notBefore };
}

/** Until when its server wants no poll; a time noted before the clock was set back counts no more. */
function heldUntil({ notBefore }: Pick<Plan, 'notBefore'>, now: number): number {
  return notBefore - now <= LONGEST_WAIT ? notBefore : 0;
}

/** However many hints there are: polls because of them keep to a rate, and to what the server asks for. */
function hinted(plan: Plan, earliest: number, now: number): Plan {
  const { burst, each } = HINTS[plan.failures > 0 ? 'failing' : plan.trust];
  const from = Math.min(Math.max(plan.hintsFrom, now), now + burst * each);
  const due = Math.max(earliest, heldUntil(plan, now), from - (burst - 1) * each);
  return due < plan.due ? { ...plan, due, hintsFrom: Math.max(from, due) + each } : plan;
}

/** The time before which a server wants no poll, as far as it may decide that; else 0. */
function askedFor(notBefore: number | undefined, { now, interval }: Now): number {
  if (notBefore === undefined || notBefore <= now) return 0;
  const earliest = now + Math.min(interval, SHORTEST_RETRY_AFTER);
  return Math.min(Math.max(notBefore, earliest), now + LONGEST_WAIT);
}

/** When a failing source is tried again: a configured one after two intervals at most, a minute at least. */
function retryAt({ failures, trust }: Plan, { now, interval, random }: Now): number {
  const most = trust === 'configured' ? Math.max(2 * interval, MINUTE) : LONGEST_WAIT;
  const longest = Math.min(most, LONGEST_WAIT);
  return now + backOff(failures, { first: Math.max(interval, SECOND), longest }, random);
}

/** The latest time for which a poll can have been planned. */
function latestDue(plan: Pick<Plan, 'failures' | 'notBefore'>, { now, next, interval }: Now): number {
  if (plan.failures > 0) return now + LONGEST_WAIT;
  return Math.max(next + largestPhase(interval), heldUntil(plan, now));
}

function largestPhase(interval: number): number {
  return Math.min(interval / 2, LARGEST_PHASE);
}
