import type { Source } from '../component/source.js';
import type { ComponentName } from '../core/document-change.js';
import type { FailingModule } from '../core/module-health.js';
import type { StoredPin } from '../core/pins.js';

/** Does the node answer requests? While it is `loading` it has no data to answer from yet. */
export type Health = 'loading' | 'serving' | 'stopping';

/** What becomes of the modules that are to be pinned, for the status, the network page and the metrics. */
export interface Pinning {
  readonly mode: 'configured' | 'all' | 'off';
  /** Modules that have been seen, and how many of them had changed at the last look. */
  readonly all: number;
  readonly changed: number;
  readonly examples: readonly StoredPin[];
  /** Modules that could not be had lately, and why: those that failed last. */
  readonly failing: readonly FailingModule[];
}

/** Something that happened to a source, or to what it says. */
export interface SourceEvent {
  readonly at: number;
  readonly source: Source;
  readonly what: 'came' | 'changed' | 'went' | 'failed' | 'recovered' | 'held';
  /** What came, or why it failed: a part of a sentence. */
  readonly detail: string;
  /** What came, changed or went: the first few components, and how many more there are (absent when none). */
  readonly components?: readonly ComponentName[];
  readonly more?: number;
}

/** What the synchronisation has done lately: kept in memory, within bounds, since the process began. */
export interface Activity {
  readonly events: readonly SourceEvent[];
  /** Have sources been polled, and did the last poll of every one of them fail? */
  readonly allFail: boolean;
}
