import type { SourceKind } from '../component/precedence.js';
import type { ChangeCount, InvalidComponent } from '../store/source-record.js';

/**
 * What the rest of the node tells this layer about itself. All times are ms since the epoch; they become
 * text at the edge.
 */
export type Health = 'loading' | 'serving' | 'stopping';

/** An address that the node passes on, and how it came to know it. */
export interface NetworkEntry {
  readonly url: string;
  /** 0 when configured, otherwise one more than its introducer has. */
  readonly hops: number;
  /** Who introduced it; empty when configured. */
  readonly via: readonly string[];
}

/** The node's two lists, in the order in which they are served. */
export interface Network {
  readonly peers: readonly NetworkEntry[];
  readonly storage: readonly NetworkEntry[];
}

/** One source as the status page shows it. */
export interface SourceStatus {
  readonly url: string;
  readonly kind: SourceKind;
  readonly configured: boolean;
  readonly hops: number;
  readonly via: readonly string[];
  readonly state: 'waiting' | 'polling' | 'ok' | 'failing';
  readonly lastAttempt?: number;
  readonly lastSuccess?: number;
  readonly nextAttempt?: number;
  readonly failingSince?: number;
  /** Consecutive failures. */
  readonly failures: number;
  /** Valid descriptions stored from it, whether or not they are the ones served. */
  readonly components: number;
  readonly invalid: readonly (InvalidComponent & { readonly document: string })[];
  readonly error?: string;
}

/** What polling one source came to. */
export interface SyncReport extends ChangeCount {
  readonly source: { readonly kind: SourceKind; readonly url: string };
  readonly ok: boolean;
  readonly error?: string;
  readonly durationMs: number;
}
