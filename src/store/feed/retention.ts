import { REMOVALS_REMEMBERED } from '../../registry/feed.js';

/** Removals that are remembered in any case; beyond, as many as there are statements. The oldest are forgotten first. */
const LEAST_TOMBSTONES = 50_000;

/** States that are remembered at least (design, section 11). */
export const REMEMBERED_STATES = 100_000;

/** What is known of a removal, as far as it decides how long it is remembered. */
export interface Removal {
  readonly position: number;
  /** When, ms since the Unix epoch. */
  readonly at: number;
}

/** The first of these removals, ordered by position, that are to be forgotten: the old, and those that are too many. */
export function outlived<R extends Removal>(
  removals: Iterable<R>,
  { count, statements, now }: { readonly count: number; readonly statements: number; readonly now: number },
): R[] {
  const surplus = count - Math.max(LEAST_TOMBSTONES, statements);
  const gone: R[] = [];
  for (const removal of removals) {
    if (gone.length >= surplus && removal.at > now - REMOVALS_REMEMBERED) break;
    gone.push(removal);
  }
  return gone;
}
