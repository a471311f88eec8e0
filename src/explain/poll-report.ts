import type { Source } from '../component/source.js';
import type { SourceRecord } from '../core/source-record.js';
import type { ChangeCount } from '../registry/registry.js';

/** What one poll of one source came to: for `POST /sync`, the metrics and the log. */
export interface PollReport extends ChangeCount {
  readonly source: Source;
  readonly ok: boolean;
  readonly error?: string;
  /** What the poll found could not be written to disk. */
  readonly unstored?: true;
  /** It has lost so much that what it said before is still served: components that it had, and has now. */
  readonly held?: { readonly from: number; readonly to: number };
  /** 1 when all of a peer is to be read again: what it says does not lead to the digests that it tells. */
  readonly repairs?: number;
  readonly durationMs: number;
}

/** How a poll ended. */
export interface PollOutcome {
  /** What was remembered of the source when the poll began, and is now, also when that could not be stored. */
  readonly before: SourceRecord;
  readonly after: SourceRecord;
  readonly report: PollReport;
}
