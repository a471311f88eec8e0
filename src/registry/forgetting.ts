import type { DocumentChange } from '../core/document-change.js';
import { type DocumentRecord, unread } from '../core/document-record.js';

/** Statements, and documents, that one commit removes of a source that is forgotten. */
export const FORGOTTEN_AT_ONCE = 2_000;

/** A document of a source that is forgotten. */
export interface LeavingDocument {
  readonly url: string;
  readonly record: DocumentRecord;
  /** How many statements there are. */
  readonly components: number;
  /** The uris of so many of its components. */
  readonly uris: (most: number) => readonly string[] | Promise<readonly string[]>;
}

/** What one commit removes of a source that is forgotten. */
export interface Forgetting {
  readonly documents: readonly DocumentChange[];
  /** Is nothing left of the source afterwards? */
  readonly isLast: boolean;
}

/**
 * What to remove next of the documents that are left of a source. Of a document that is too large for one commit only some
 * statements go, and the rest of it is remembered as if it had never been read: the source may come back before all is gone.
 */
export async function nextForgetting(documents: Iterable<LeavingDocument>): Promise<Forgetting> {
  const changes: DocumentChange[] = [];
  let room = FORGOTTEN_AT_ONCE;
  for (const { url, record, components, uris } of documents) {
    if (components > room || changes.length === FORGOTTEN_AT_ONCE) {
      if (changes.length > 0) return { documents: changes, isLast: false };
      const some = { url, record: unread(record), amend: { remove: await uris(room) } };
      return { documents: [some], isLast: false };
    }
    room -= components;
    changes.push({ url, record: null });
  }
  return { documents: changes, isLast: true };
}
