import type { Source } from '../component/precedence.js';
import type { ChangeCount } from '../registry/change.js';
import type { DocumentChange } from '../registry/source-change.js';
import type { StoredSource } from '../registry/source-record.js';

/** What one poll found. Nothing in it has been stored yet. */
export interface PollResult {
  /** Documents read anew, gone, or with new bookkeeping. What is not listed stays as it is. */
  readonly documents: readonly DocumentChange[];
  /** What the source wants to find again at its next poll; the old one stays when absent. */
  readonly memo?: Readonly<Record<string, unknown>>;
  /** Absent when the source as a whole could be read (single broken documents are in their records). */
  readonly failure?: PollFailure;
}

export interface PollFailure {
  /** For the status page: what happened, in plain words. */
  readonly message: string;
  /** Earliest time of the next try that the server asked for (`Retry-After`), ms since the epoch. */
  readonly notBefore?: number;
}

/** A pod or a peer, as the scheduler sees it. */
export interface SyncSource {
  readonly source: Source;
  /** Reads it once. Never throws for what the other side does; rejects only when the signal is aborted. */
  poll(stored: StoredSource | undefined, signal: AbortSignal): Promise<PollResult>;
}

/** What a poll came to, for `POST /sync` and the log. */
export interface PollReport extends ChangeCount {
  readonly source: Source;
  readonly ok: boolean;
  readonly error?: string;
  /** What it found could not be written to disk. */
  readonly unstored?: true;
  readonly durationMs: number;
}
