import type { UnknownState } from '../../registry/changes.js';
import { type Cursor, cursorOf, sameCursor } from '../../registry/cursor.js';
import type { State } from '../../registry/state.js';

/**
 * Can a registry vouch for having been in a state? `digest` is what it remembers of the state at that position, in the
 * form of a cursor; the present state is always known.
 */
export function unknownState(
  cursor: Cursor,
  state: State,
  digest: string | undefined,
): UnknownState | undefined {
  if (sameCursor(cursor, cursorOf(state))) return undefined;
  if (cursor.epoch !== state.revision.epoch) return { unknown: 'epoch' };
  if (cursor.position > state.feed.position) return { unknown: 'future' };
  if (cursor.position < state.feed.floor) return { unknown: 'expired' };
  return cursor.digest === digest ? undefined : { unknown: 'fork' };
}
