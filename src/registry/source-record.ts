import type { Source } from '../component/precedence.js';
import type { Authority } from '../core/precedence.js';
import type { Shrink } from '../core/shrink-guard.js';
import type { NetworkLists } from './network-lists.js';

/** Characters of a subject that are kept of an invalid description. */
export const LONGEST_SUBJECT = 200;
/** What is said of invalid descriptions of a document that are too many to be named. */
export const UNNAMED_INVALID = 'break a rule, too; they are not named here';

/** A description that breaks a rule: its neighbours are served, it is named in the status. */
export interface InvalidComponent {
  /** The subject, or the uri where there is one. */
  readonly subject: string;
  readonly reasons: readonly string[];
}

/** What is remembered of one document between two reads of it. All times are ms since the epoch. */
export interface DocumentRecord {
  /**
   * Validators of the latest whole answer (RFC 9110, section 8.8): the one that the stored statements come
   * from, or a later one that could not be understood, and `unreadable` says why.
   */
  readonly etag?: string;
  readonly lastModified?: string;
  /** `dct:modified` as the container's listing gave it at that time. */
  readonly modified?: string;
  /** Hash of the body, where the server gives no validators. */
  readonly hash?: string;
  readonly readAt?: number;
  /** On a mirror: whose document it is at the node that was read. What it says is ordered and shown by that. */
  readonly authority?: Authority;
  /**
   * Which of a peer's sources the document belongs to (`sourceKey`), where the peer says so: documents of the same one
   * are digested together. A document whose `of` changes is to be given in full.
   */
  readonly of?: string;
  /** Why the answer that the validators belong to cannot be understood: asked with them, 304 means it still is that. */
  readonly unreadable?: string;
  readonly invalid?: readonly InvalidComponent[];
  /** Bytes of the texts of its components; absent where an older version has stored them. */
  readonly size?: number;
  /** Components that it describes and that are not stored, because this node keeps no more of the source. */
  readonly omitted?: number;
  /** Why the latest attempt to read it failed; what was read before is still served. */
  readonly error?: string;
  readonly failingSince?: number;
  /**
   * This node had no time to read it, so often in a row: nothing is known of it, and it is read again from `retryAt` on (ms
   * since the epoch), or when its container names another time of modification.
   */
  readonly timedOut?: { readonly times: number; readonly retryAt: number; readonly modified?: string };
}

/** What is left to remember of a document that is to be read again as if it never had been. */
export function unread({ of, authority }: DocumentRecord): DocumentRecord {
  return { ...(of === undefined ? {} : { of }), ...(authority ? { authority } : {}) };
}

/** How it is learned what has changed at a peer. Times are ms since the epoch. */
export type Following =
  | {
      /** From its change feed. */
      readonly by: 'feed';
      readonly since: number;
      /** How often something of it was read anew, because it was not what the peer has. */
      readonly repairs?: number;
      readonly lastRepair?: { readonly at: number; readonly why: string };
      /** How many of the peer's sources are compared with no digest, because not all that they say is accepted. */
      readonly unverified?: number;
    }
  | {
      /** By reading all that it lists. */
      readonly by: 'listing';
      readonly since: number;
      /** Why not from its feed. */
      readonly why: string;
      /** When it was last looked whether there is a feed. */
      readonly looked: number;
      /** Components that this node must have room for before it is worth looking again. */
      readonly needs?: number;
    };

/** What is remembered of one source between two polls, and across restarts. Times are ms since the epoch. */
export interface SourceRecord {
  readonly lastAttempt?: number;
  readonly lastSuccess?: number;
  readonly nextAttempt?: number;
  /** Consecutive failures; 0 after a success. */
  readonly failures: number;
  readonly failingSince?: number;
  readonly error?: string;
  /** Why it failed will not end by itself: somebody has to change the source or the configuration. */
  readonly permanent?: boolean;
  /** Polls in a row that were reading the source when the process died; one that is under way counts, too. */
  readonly unfinished?: number;
  /** It is not polled before this time, because the process died more than once while it was read. */
  readonly heldUntil?: number;
  /** Documents that were listed and not read, because this node keeps no more of the source. */
  readonly unread?: number;
  /** The addresses that a peer makes known; absent where an older version has stored them in its memo. */
  readonly introduced?: NetworkLists;
  /** Pods whose documents were not accepted from this peer: this node reads them itself, or its operator denies them. */
  readonly skipped?: readonly string[];
  /** The same by source of the peer (`DocumentRecord.of`): not all that these say is stored. */
  readonly refused?: Readonly<Record<string, readonly string[]>>;
  /** Of peers only; absent where an older version has read it. */
  readonly following?: Following;
  /** What the source has lost and is still served; absent when nothing is held. */
  readonly shrink?: Shrink;
  /** What the kind of source itself wants to find again: plain JSON. */
  readonly memo?: Readonly<Record<string, unknown>>;
}

/** What is stored of a source, for its next poll and for the status page. */
export interface StoredSource {
  readonly source: Source;
  readonly record: SourceRecord;
  /** By document URL. */
  readonly documents: ReadonlyMap<string, DocumentRecord & { readonly components: number }>;
}
