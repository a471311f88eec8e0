/** A source may lose so many components, or such a part of them, in one poll: more is pending (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** A removal is believed once so many complete polls have found it, over so many ms. */
const BELIEVED = { polls: 3, ms: 3_600_000 } as const;

/**
 * A poll found so much less than is stored that what is gone is not removed at once (design, section 15). Times are ms since
 * the epoch.
 */
export interface Shrink {
  /** Of the first poll that found the oldest removal that is pending. */
  readonly since: number;
  /** Complete polls in a row that found it. */
  readonly polls: number;
  /** Components that the source had, and has now. */
  readonly from: number;
  readonly to: number;
  /** The removals that are pending, by the poll that found them first; absent where an earlier version has stored this. */
  readonly missed?: readonly Missed[];
}

/** Statements that a poll found gone, and how often they have been found gone since. */
export interface Missed extends Pick<Shrink, 'since' | 'polls'> {
  /** Of document and uri, in hashes. */
  readonly keys: readonly string[];
}

/** What a poll does to the number of components that a source describes, whether or not all of them are kept. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/** Is it so much that it may be a mistake of the source, or of its server? */
export function isSuspicious({ from, to }: Loss): boolean {
  return from - to > TOLERATED.components && to < from * TOLERATED.part;
}

/** What a poll has found of a source that has lost most of what it said, now or before. */
export interface FoundLoss extends Loss {
  /** Keys of the stored statements that it does not make any more. */
  readonly removals: ReadonlySet<string>;
  /** Has the poll read all of the source? */
  readonly isComplete: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

/** What is not stored of what a poll has found. */
export interface PendingLoss {
  readonly shrink: Shrink;
  /** Keys of the removals that are pending. */
  readonly keys: ReadonlySet<string>;
}

/**
 * Which removals are pending after another poll; nothing when all are believed. Each removal waits for itself, so that nothing
 * else that the source says, takes back or gives back makes the others wait longer.
 */
export function pendingAfter(before: Shrink | undefined, found: FoundLoss): PendingLoss | undefined {
  const { removals, isComplete, from, to, now } = found;
  if (!isSuspicious(found)) return undefined;
  // A poll that could not read everything does not show that the rest is gone.
  if (!isComplete) {
    return { shrink: { since: now, polls: 0, ...before, from, to }, keys: removals };
  }
  const earlier = (before?.missed ?? []).map(({ since, polls, keys }) => ({
    // The hour begins anew when the clock was set back.
    since: Math.min(since, now),
    polls: polls + 1,
    keys: keys.filter((key) => removals.has(key)),
  }));
  const known = new Set(earlier.flatMap(({ keys }) => keys));
  const missed = [...earlier, { since: now, polls: 1, keys: [...removals].filter((key) => !known.has(key)) }];
  const isBelieved = (one: { since: number; polls: number }) =>
    one.polls >= BELIEVED.polls && now - one.since >= BELIEVED.ms;
  const pending = missed.filter((one) => one.keys.length > 0 && !isBelieved(one));
  const keys = new Set(pending.flatMap((one) => one.keys));
  const left = from - (removals.size - keys.size);
  const [oldest] = pending;
  if (!oldest || !isSuspicious({ from: left, to })) return undefined;
  const { since, polls } = oldest;
  return { shrink: { since, polls, from: left, to, missed: pending }, keys };
}
