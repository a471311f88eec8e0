import { DamagedData } from './damage.js';
import type { Row } from './quad-store.js';
import { TABLES } from './tables.js';

/** How many statements there are: enough to see that the rows of some are missing. */
export interface StatementsNote {
  readonly count: number;
}

/** To be written whenever statements come or go. */
export function statementsRow(count: number): Row {
  return TABLES.meta('statements', { count } satisfies StatementsNote);
}

/** @throws DamagedData when there are not as many descriptions as have been recorded */
export function refuseLoss(place: string, known: number, found: number): void {
  if (known === found) return;
  throw new DamagedData(
    place,
    `there are ${found} descriptions of components, and ${known} have been stored`,
  );
}
