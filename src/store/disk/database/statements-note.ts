import type { Naming } from '../../../component/naming.js';
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

/** The rows are to be made anew, and there must be as many as before. */
export function outdatedStatements(known: StatementsNote | undefined): Row {
  return TABLES.meta('statements', known && { ...known, writtenAs: '' });
}
