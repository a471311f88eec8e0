import type { Source } from '../component/source.js';

/** One poll of a source that ended. */
export interface PollPoint {
  /** When it ended, ms since the Unix epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** `changed`: it brought, changed or removed something. */
  readonly outcome: 'unchanged' | 'changed' | 'failed';
}

/** Something that happened to a source, or to what it says. */
export interface SourceEvent {
  /** ms since the Unix epoch. */
  readonly at: number;
  readonly source: Source;
  readonly what: 'came' | 'changed' | 'went' | 'failed' | 'recovered' | 'held' | 'refused';
  /** What came, why it failed, until when it is paused: a part of a sentence. */
  readonly detail: string;
}

/** What the synchronisation has done lately. It is kept in memory, within bounds, and begins with the process. */
export interface Activity {
  /** The last polls of a source, the oldest first. */
  polls(source: Source): readonly PollPoint[];
  /** The newest first. */
  readonly events: readonly SourceEvent[];
  /** Have sources been polled, and did the last poll of every one of them fail? */
  readonly allFail: boolean;
}

/** Of a node that does not synchronise yet. */
export const NO_ACTIVITY: Activity = { polls: () => [], events: [], allFail: false };
