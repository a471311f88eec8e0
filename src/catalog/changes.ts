import type { Metadata } from '../component/metadata.js';
import type { Pin } from '../component/pin.js';
import type { Source } from '../component/source.js';
import type { Cursor } from '../core/cursor.js';
import type { SourceSummary } from '../core/source-digests.js';
import type { State } from './state.js';

/** The latest that happened to one statement. */
export interface StatementChange {
  readonly position: number;
  /** When, ms since the Unix epoch; never earlier than that of a lower position. */
  readonly at: number;
  /** Since when the document says it, ms since the Unix epoch, where only the pin changed `at` that time. */
  readonly since?: number | undefined;
  readonly source: Source;
  /** URL of the document: the named graph in datasets. */
  readonly document: string;
  /** See `Precedence.rankWithin`; absent when it is no longer described. */
  readonly rank?: number | undefined;
  readonly uri: string;
  /** What the document says of the component; absent when it no longer describes it. */
  readonly metadata?: Metadata | undefined;
  /** Had the document described it before? */
  readonly isUpdate?: boolean;
  /** Only when the module's bytes have changed under its version: see `Pins`. Not what the document says. */
  readonly pin?: Pin | undefined;
}

/** Which changes are wanted. */
export interface ChangesRequest {
  /**
   * What has changed since this state. Without it: everything that is stored now, and no removals, as if it had been
   * added one by one in the order of positions.
   */
  readonly since?: Cursor | undefined;
  /** Only what has a greater position. */
  readonly after?: number | undefined;
  /** Without `since`: also the removals that are remembered, at their positions. */
  readonly removals?: boolean | undefined;
  /** Only statements of this component. */
  readonly uri?: string | undefined;
  readonly source?: Source | undefined;
  /** At most so many. */
  readonly limit: number;
}

/**
 * Changes in the order of positions, as of one state. While there may be more, `next` is the position up to which these are
 * all; there may be fewer than `limit`, even none. Whoever asks on to the end misses nothing, because what changes meanwhile
 * gets a position behind all others.
 */
export interface Changes {
  readonly state: State;
  readonly changes: readonly StatementChange[];
  readonly next?: number;
  /** The sources whose summary has changed since, if they still describe something; all of them without `since`. */
  readonly sources: readonly SourceSummary[];
}
