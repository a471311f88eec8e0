/** A source may lose so many components, or such a part of them, in one poll: more is pending (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** A loss is believed once so many complete polls have found it, over so many ms. */
const BELIEVED = { polls: 3, ms: 3_600_000 } as const;

/** What a poll does to the number of components that a source describes, whether or not all of them are kept. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/**
 * A poll found so much less than is stored that what is gone is not removed at once (design, section 15). Times are ms since
 * the epoch.
 */
export interface Shrink extends Loss {
  /** Of the first poll that found it. */
  readonly since: number;
  /** Complete polls in a row that found it. */
  readonly polls: number;
  /** What was left when the first of them found it. */
  readonly left: number;
}

/** Is it so much that it may be a mistake of the source, or of its server? */
export function isSuspicious({ from, to }: Loss): boolean {
  return from - to > TOLERATED.components && to < from * TOLERATED.part;
}

/**
 * What is pending after another poll has found a suspicious loss; nothing when that is believed. Nothing that the source says
 * or gives back meanwhile makes it wait longer; but so much that is lost only later may be another mistake.
 * @param found `isComplete`: has the poll read all of the source? A poll that has not does not show that the rest is gone
 */
export function pendingAfter(
  before: Shrink | undefined,
  { from, to, isComplete, now }: Loss & { readonly isComplete: boolean; readonly now: number },
): Shrink | undefined {
  if (!isComplete) return { since: now, polls: 0, left: to, ...before, from, to };
  if (!before?.polls || isSuspicious({ from: before.left, to }))
    return { since: now, polls: 1, left: to, from, to };
  // The hour begins anew when the clock was set back.
  const since = Math.min(before.since, now);
  const polls = before.polls + 1;
  const isBelieved = polls >= BELIEVED.polls && now - since >= BELIEVED.ms;
  return isBelieved ? undefined : { since, polls, left: before.left, from, to };
}
