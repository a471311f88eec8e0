/** A source may lose so many components, or such a part of them, in one poll: more is pending (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** A loss is believed once so many complete polls have found it, over so many ms. */
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
  readonly lost?: readonly string[];
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

/** A suspicious loss that a poll has found. */
export interface FoundLoss extends Loss {
  /** Keys of the stored statements that the source does not make any more. */
  readonly removals: ReadonlySet<string>;
  /** Has the poll read all of the source? */
  readonly isComplete: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * What is pending after another poll; nothing when the loss is believed. Nothing else that the source says, takes back or gives
 * back makes those removals wait longer that were found first.
 */
export function pendingAfter(before: Shrink | undefined, found: FoundLoss): Shrink | undefined {
  const { from, to, removals, isComplete, now } = found;
  // A poll that could not read everything does not show that the rest is gone.
  if (!isComplete) return { since: now, polls: 0, ...before, from, to };
  const anew = { since: now, polls: 1, from, to, lost: [...removals] };
  const lost = before?.lost?.filter((key) => removals.has(key)) ?? [];
  if (!before || lost.length === 0) return anew;
  // The hour begins anew when the clock was set back.
  const since = Math.min(before.since, now);
  const polls = before.polls + 1;
  if (polls < BELIEVED.polls || now - since < BELIEVED.ms) return { since, polls, from, to, lost };
  // So much that was found gone only later may be another mistake.
  return isSuspicious({ from: from - lost.length, to }) ? anew : undefined;
}
