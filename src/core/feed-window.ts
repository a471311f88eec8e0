import { type Cursor, cursorOf, cursorText, type NamedState } from './cursor.js';

/** How long removals are remembered at most (design, section 11), in ms. */
export const REMOVALS_REMEMBERED = 180 * 24 * 60 * 60 * 1000;

/**
 * Removals that are remembered in any case; beyond, as many as there are statements. The oldest are forgotten
 * first.
 */
const LEAST_TOMBSTONES = 50_000;

/** States that are remembered at least (design, section 11). */
export const REMEMBERED_STATES = 100_000;

/** The first of these removals, ordered by position, that are to be forgotten: the old, and what is too many. */
export function outlived<R extends { readonly at: number }>(
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

/** Why a registry cannot say what has changed since a state: it cannot vouch for ever having been in it. */
export interface UnknownState {
  /** `epoch`: another life of the data; `expired`: removals since then are forgotten; `fork`: another history. */
  readonly unknown: 'epoch' | 'expired' | 'future' | 'fork';
}

/**
 * Why a registry cannot vouch for having been in a state.
 * @param digest what it remembers of the state at that position
 */
export function unknownState(
  cursor: Cursor,
  state: NamedState & { readonly feed: { readonly floor: number } },
  digest: string | undefined,
): UnknownState | undefined {
  if (cursorText(cursor) === cursorText(cursorOf(state))) return undefined;
  if (cursor.epoch !== state.revision.epoch) return { unknown: 'epoch' };
  if (cursor.position > state.feed.position) return { unknown: 'future' };
  if (cursor.position < state.feed.floor) return { unknown: 'expired' };
  return cursor.digest === digest ? undefined : { unknown: 'fork' };
}
