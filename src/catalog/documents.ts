import type { Source } from '../component/source.js';
import type { Entry } from './entry.js';

/** That a document describes a component no longer. */
export interface Removal {
  readonly position: number;
  /** ms since the Unix epoch. */
  readonly at: number;
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
}

/** What one document says, and what it no longer says; both in the order of uris. Never changed. */
export interface DocumentStatements {
  readonly said: readonly Entry[];
  readonly removed: readonly Removal[];
}

export const NO_STATEMENTS: DocumentStatements = { said: [], removed: [] };
