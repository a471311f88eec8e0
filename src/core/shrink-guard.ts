/** A source may lose so many components, or such a part of them, in one poll: more is pending (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** A removal is believed once so many complete polls have found it, over so many ms. */
const BELIEVED = { polls: 3, ms: 3_600_000 } as const;

/**
 * A poll found so much less than is stored that what is gone is not removed at once (design, section 15). Times are ms since
 * the epoch.
 */
export interface Shrink {
  /** Of the first poll that found it. */
  readonly since: number;
  /** Complete polls in a row that found it. */
  readonly polls: number;
  /** Components that the source had, and has now. */
  readonly from: number;
  readonly to: number;
  /** The removals that all of these polls have found: of document and uri, in hashes. */
  readonly missed?: readonly string[];
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
 * Which removals are pending after another poll; nothing when all are believed. Nothing else that the source says, takes back or
 * gives back makes those wait longer that were found first; what was found gone only later may be another mistake, and is counted
 * from when the first are believed.
 */
export function pendingAfter(before: Shrink | undefined, found: FoundLoss): PendingLoss | undefined {
  const { removals, isComplete, from, to, now } = found;
  if (!isSuspicious(found)) return undefined;
  // A poll that could not read everything does not show that the rest is gone.
  if (!isComplete) return { shrink: { since: now, polls: 0, ...before, from, to }, keys: removals };
  const missed = new Set(before?.missed?.filter((key) => removals.has(key)));
  if (!before || missed.size === 0) return begun(found);
  // The hour begins anew when the clock was set back.
  const since = Math.min(before.since, now);
  const polls = before.polls + 1;
  if (polls < BELIEVED.polls || now - since < BELIEVED.ms)
    return { shrink: { since, polls, from, to, missed: [...missed] }, keys: removals };
  const rest = { ...found, from: from - missed.size, removals: without(removals, missed) };
  return isSuspicious(rest) ? begun(rest) : undefined;
}

function begun({ removals, from, to, now }: FoundLoss): PendingLoss {
  return { shrink: { since: now, polls: 1, from, to, missed: [...removals] }, keys: removals };
}

function without(keys: ReadonlySet<string>, gone: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...keys].filter((key) => !gone.has(key)));
}
