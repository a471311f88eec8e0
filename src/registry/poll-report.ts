import type { Source } from '../component/precedence.js';
import type { ChangeCount } from './change.js';

/** What one poll of one source came to: for `POST /sync`, the metrics and the log. */
export interface PollReport extends ChangeCount {
  readonly source: Source;
  readonly ok: boolean;
  readonly error?: string;
  /** What the poll found could not be written to disk. */
  readonly unstored?: true;
  readonly durationMs: number;
  /** Descriptions and documents that cannot be used, as far as that is news; absent when there are none. */
  readonly refused?: number;
}
