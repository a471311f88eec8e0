import { REMEMBERED_STATES } from '../../../core/feed-window.js';
import type { Feed } from '../../../registry/feed.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { readPositionKey, TABLES } from '../database/tables.js';
import type { ChangeLog } from './change-log.js';

/** States that are forgotten at a time. */
const STATES = 10_000;

export interface Purging {
  readonly store: QuadStore;
  readonly log: ChangeLog;
  /** How many there are. */
  readonly statements: number;
  readonly now: number;
  /** Shows readers what is left. Called before it is deleted from disk: nobody shall miss what is not announced as gone. */
  readonly show: (feed: Feed) => void;
}

/** Deletes removals and states that need not be remembered any more, in one batch with the note of how far. */
export async function purge({ store, log, statements, now, show }: Purging): Promise<void> {
  const removals = log.tombstones.outlived(statements, now);
  const states = log.row.states > REMEMBERED_STATES + STATES ? await oldestStates(store) : [];
  if (removals.length + states.length === 0) return;
  const floor = Math.max(removals.at(-1)?.position ?? 0, states.at(-1) ?? 0);
  show(log.forget(floor, states.length, removals));
  const rows: Row[] = [
    TABLES.meta('feed', log.row),
    ...removals.map(({ position }) => TABLES.tombstone(position, undefined)),
    ...states.map((position) => TABLES.state(position, undefined)),
  ];
  await store.write({ rows, durable: false });
}

async function oldestStates(store: QuadStore): Promise<number[]> {
  const positions: number[] = [];
  for await (const [key] of store.rows('state')) {
    positions.push(readPositionKey(key));
    if (positions.length === STATES) break;
  }
  return positions;
}
