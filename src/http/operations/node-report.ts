import type { SourceKind } from '../../component/precedence.js';
import type { ChangeCount } from '../../registry/change.js';
import type { InvalidComponent } from '../../registry/source-record.js';

/**
 * What the rest of the node tells this layer about itself. All times are ms since the epoch; they become
 * text at the edge.
 */
export type Health = 'loading' | 'serving' | 'stopping';

/** A database that cannot be written at present; it is served from nevertheless. */
export interface FailingStore {
  readonly store: 'registry' | 'connection';
  /** ms since the epoch. */
  readonly since: number;
  readonly error: string;
}

/** One source as the status page shows it. */
export interface SourceStatus {
  readonly url: string;
  readonly kind: SourceKind;
  readonly configured: boolean;
  readonly hops: number;
  readonly via: readonly string[];
  /** `limited`: more is there than this node keeps; `held`: not polled, because the process died while it was read. */
  readonly state: 'waiting' | 'ok' | 'failing' | 'limited' | 'held';
  readonly lastAttempt?: number;
  readonly lastSuccess?: number;
  readonly nextAttempt?: number;
  readonly failingSince?: number;
  /** Consecutive failures. */
  readonly failures: number;
  /** Valid descriptions stored from it, whether or not they are the ones served. */
  readonly components: number;
  readonly documents: number;
  readonly invalid: readonly (InvalidComponent & { readonly document: string })[];
  /** Why the source as a whole could not be read. */
  readonly error?: string;
  /** What the operator should know of a source that is held or limited. */
  readonly notice?: string;
  /** Components that are known of and not stored, and documents that are not read, for want of room. */
  readonly omitted?: { readonly components: number; readonly documents: number };
  /** A source that is held is not polled before this time. */
  readonly heldUntil?: number;
  /** Documents that could not be read the last time; what they said before is still served. */
  readonly failing: readonly FailingDocument[];
}

/** A document that could not be read the last time. */
export interface FailingDocument {
  readonly url: string;
  readonly error: string;
  readonly failingSince?: number | undefined;
}

/** What polling one source came to. */
export interface SyncReport extends ChangeCount {
  readonly source: { readonly kind: SourceKind; readonly url: string };
  readonly ok: boolean;
  readonly error?: string;
  /** What it found could not be written to disk. */
  readonly unstored?: true;
  readonly durationMs: number;
}
