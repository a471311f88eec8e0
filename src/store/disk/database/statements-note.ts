import type { Naming } from '../../../component/naming.js';
import { DamagedData } from './damage.js';
import type { Row } from './quad-store.js';
import { TABLES } from './tables.js';

/** What the rows of statements depend on, and how many there are: enough to see that some are missing. */
export interface StatementsNote {
  readonly writtenAs: string;
  readonly count: number;
}

/** Raised when rows of statements are written differently. */
const STATEMENT_FORMAT = 2;

/** To be written whenever statements come or go. */
export function statementsRow({ baseUrl, vocabulary }: Naming, count: number): Row {
  const writtenAs = JSON.stringify([STATEMENT_FORMAT, baseUrl, vocabulary.namespace]);
  return TABLES.meta('statements', { writtenAs, count } satisfies StatementsNote);
}

/** @throws DamagedData when there are not as many descriptions as have been recorded */
export function refuseLoss(place: string, known: StatementsNote | undefined, found: number): void {
  if (!known || known.count === found) return;
  throw new DamagedData(
    place,
    `there are ${found} descriptions of components, and ${known.count} have been stored`,
  );
}

/** The rows are to be made anew, and there must be as many as before. */
export function outdatedStatements(known: StatementsNote | undefined): Row {
  return TABLES.meta('statements', known && { ...known, writtenAs: '' });
}
