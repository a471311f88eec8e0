import type { Source } from '../component/source.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { edited } from './edited.js';
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

/** What becomes of one statement: it is said, or removed, or there is nothing more of it. */
export interface StatementEdit {
  /** See `documentKey`. */
  readonly key: string;
  readonly uri: string;
  readonly entry?: Entry | undefined;
  readonly removal?: Removal | undefined;
}

/** By `documentKey`. */
export type Documents = ReadonlyMap<string, DocumentStatements>;

/** The documents that these edits change, each as it is afterwards. The edits are in the order of uris. Gives way to other work. */
export async function changedDocuments(
  documents: Documents,
  edits: readonly StatementEdit[],
  breathe: Breather,
): Promise<Documents> {
  const changed = new Map<string, DocumentStatements>();
  for (const [key, some] of grouped(edits, ({ key }) => key)) {
    const { said, removed } = documents.get(key) ?? NO_STATEMENTS;
    const entries = some.map(({ uri, entry }) => [uri, entry] as const);
    const removals = some.map(({ uri, removal }) => [uri, removal] as const);
    changed.set(key, {
      said: await edited(said, entries, breathe),
      removed: await edited(removed, removals, breathe),
    });
  }
  return changed;
}
