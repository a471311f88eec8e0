import { DamagedData } from '../database/damage.js';
import type { QuadStore } from '../database/quad-store.js';
import { quadsOfRow } from '../database/statement-row.js';
import { isCurrentFormat, type StatementsNote } from '../database/statements-note.js';

/**
 * Quads are what is stored, and the rows beside them are made from them: a node that has lost quads would serve from its
 * rows until they are made anew, and lost too (design, section 5, "One truth"). More quads than are needed do no harm.
 * @throws DamagedData when there are fewer than the rows stand for
 */
export function refuseFewerQuads({ place }: QuadStore, found: number, needed: number): void {
  if (found < needed)
    throw new DamagedData(place, `there are ${found} quads, and ${needed} have been stored`);
}

/** To be called before rows are made from quads, or quads from quads. @throws DamagedData when some are missing */
export async function refuseMissingQuads(store: QuadStore): Promise<void> {
  const note = await store.row<StatementsNote>('meta', 'statements');
  // Of rows in an older format, and of those that are being made, nothing tells how many quads they stand for.
  if (!note || !isCurrentFormat(note)) return;
  let needed = 0;
  for await (const page of store.texts('statement')) {
    for (const [, row] of page) needed += quadsOfRow(row);
  }
  refuseFewerQuads(store, await store.countQuads(), needed);
}
