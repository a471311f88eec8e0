import type { Source } from '../component/source.js';
import type { ChangeCount } from '../registry/change.js';

/** What one poll of one source came to: for `POST /sync`, the metrics and the log. */
export interface PollReport extends ChangeCount {
  readonly source: Source;
  readonly ok: boolean;
  readonly error?: string;
  /** What the poll found could not be written to disk. */
  readonly unstored?: true;
  /** The source has lost so much that what it said before is still served: components that it had, and has now. */
  readonly held?: { readonly from: number; readonly to: number };
  readonly repairs?: RepairCount;
  readonly durationMs: number;
  /** Descriptions and documents that cannot be used, as far as that is news; absent when there are none. */
  readonly refused?: number;
}

/** How often something was read again, because it was not what the peer has: single sources of it, and everything. */
export interface RepairCount {
  readonly source: number;
  readonly whole: number;
}
