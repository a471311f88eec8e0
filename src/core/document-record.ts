import type { FaultyDescription } from '../component/reading/described.js';
import { excerpt } from '../lib/excerpt.js';
import type { Authority } from './precedence.js';

/** Characters of a subject that are kept of an invalid description. */
export const LONGEST_SUBJECT = 200;
/** What is said of invalid descriptions of a document that are too many to be named. */
export const UNNAMED_INVALID = 'break a rule, too; they are not named here';

/** A description that breaks a rule: its neighbours are served, it is named in the status. */
export interface InvalidComponent {
  readonly subject: string;
  readonly reasons: readonly string[];
}

/** What is remembered of one document between two reads of it. All times are ms since the epoch. */
export interface DocumentRecord {
  /** Validators of the latest whole answer (RFC 9110, section 8.8), `unreadable` or not. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** `dct:modified` as the container's listing gave it at that time. */
  readonly modified?: string;
  readonly readAt?: number;
  /** On a mirror: whose document it is at the node that was read, by which it is ordered and shown. */
  readonly authority?: Authority;
  /** The source of the peer that it belongs to (`sourceKey`); it changes only with all that the document says. */
  readonly of?: string;
  /** Why the answer that the validators belong to cannot be understood: 304 to them means it still is that. */
  readonly unreadable?: string;
  readonly invalid?: readonly InvalidComponent[];
  readonly size?: number;
  /** Components that it describes and that are not stored, because this node keeps no more of the source. */
  readonly omitted?: number;
  /**
   * Bytes that the first text needs which has no room, where known: with less room, none can be stored. It may
   * be the news of a component that is stored, which is not counted as omitted, and needs only what it is
   * longer by.
   */
  readonly firstOmitted?: number;
  /** Why the latest attempt to read it failed; what was read before is still served. */
  readonly error?: string;
  readonly failingSince?: number;
}

/** What is remembered of a document, and how many components it describes that are stored. */
export type StoredDocument = DocumentRecord & { readonly components: number };

/** What is left to remember of a document that is to be read again as if it never had been. */
export function toBeReadAgain({ of, authority }: DocumentRecord): DocumentRecord {
  return { of, authority };
}

/** Characters of an error that is kept for a document: errors quote what they are about. */
const LONGEST_ERROR = 500;

/**
 * What is to be remembered of a document of which nothing can be taken: what was stored of it stays, and the
 * status tells why.
 */
export function afterFailure(stored: StoredDocument | undefined, error: string, now: number): DocumentRecord {
  const { components: _, ...kept } = stored ?? { components: 0 };
  return { ...kept, error: error.slice(0, LONGEST_ERROR), failingSince: kept.failingSince ?? now };
}

/** How much is kept of each invalid description: reasons, and characters of its subject and of each reason. */
const KEPT_INVALID = { reasons: 10, subject: LONGEST_SUBJECT, reason: 200 } as const;

/** An invalid description as the status shows it. */
export function invalidComponent({ subject, faults }: FaultyDescription): InvalidComponent {
  return {
    subject: subject.slice(0, KEPT_INVALID.subject),
    reasons: faults.slice(0, KEPT_INVALID.reasons).map(({ detail }) => excerpt(detail, KEPT_INVALID.reason)),
  };
}

/**
 * The invalid descriptions of a document, with a line that counts those that are not named; undefined when
 * there are none.
 */
export function withUnnamed(
  named: readonly InvalidComponent[],
  unnamed: number,
): InvalidComponent[] | undefined {
  const more = unnamed > 0 ? [{ subject: `${unnamed} more`, reasons: [UNNAMED_INVALID] }] : [];
  return named.length + more.length === 0 ? undefined : [...named, ...more];
}
