import type { Source } from '../component/precedence.js';
import { MalformedInput } from '../lib/faults.js';
import type { Trust } from '../lib/fetch/hop.js';
import { PoolBusy } from '../lib/pool/task.js';
import type { DocumentChange } from '../registry/source-change.js';
import type { SourceRecord, StoredSource } from '../registry/source-record.js';

/** The part of a source's record that the source itself decides. */
export type Remembered = Pick<SourceRecord, 'memo' | 'introduced' | 'skipped'>;

/** What one poll found. Nothing in it has been stored yet, unless it was handed to `PollProgress.store` before. */
export interface PollResult {
  /** Documents read anew, gone, or with new bookkeeping. What is not listed stays as it is. */
  readonly documents: readonly DocumentChange[];
  /**
   * What the source wants to find again at its next poll, made from the record as it is when the result is stored:
   * others may have changed the record while the poll went on. All of it stays as it is when absent.
   */
  readonly remember?: (record: SourceRecord) => Remembered;
  /** Documents that were listed and not read, because the node keeps no more of this source. */
  readonly unread?: number;
  /** Absent when the source as a whole could be read (single broken documents are in their records). */
  readonly failure?: PollFailure;
}

export interface PollFailure {
  /** For the status page: what happened, in plain words. */
  readonly message: string;
  /** Earliest time of the next try that the server asked for (`Retry-After`), ms since the epoch. */
  readonly notBefore?: number;
  /** Trying again cannot help before somebody changes the source or the configuration: it is tried less often. */
  readonly permanent?: boolean;
}

/** A pod or a peer, as the scheduler sees it. */
export interface SyncSource {
  readonly source: Source;
  /** Did the operator name it, or other nodes? Learned sources get fewer slots and less time and room. */
  readonly trust: Trust;
  /** Reads it once. Never throws for what the other side does; rejects when the poll is stopped. */
  poll(stored: StoredSource | undefined, progress: PollProgress): Promise<PollResult>;
}

/** What a poll can ask of the scheduler while it goes on. */
export interface PollProgress {
  /**
   * Aborted when the poll has to end. The reason is a `PollTimeout` when it has lasted too long: what was read until
   * then counts. Any other reason means that its result is not wanted any more.
   */
  readonly signal: AbortSignal;
  /** How much the node keeps of this source: what it holds of it now included. */
  readonly limit: Amount;
  /** Is there no room left for more of this source? */
  readonly full: boolean;
  /**
   * To be told before a body of so many bytes is parsed. For a learned source, it is noted on disk then that the
   * source is being read: should the process die of it, and again, the source is held after the next start.
   */
  beforeParsing(bytes: number): Promise<void>;
  /** Stores part of what was found, each document atomically, while the poll goes on. Rejects when it cannot. */
  store(documents: readonly DocumentChange[]): Promise<void>;
}

/** An amount of descriptions, and the bytes of their texts. */
export interface Amount {
  readonly components: number;
  readonly bytes: number;
}

/** The reason of a poll's signal when its time is over. */
export class PollTimeout extends Error {}

/** @throws the reason of a signal that was aborted for another cause than the time of the poll being over */
export function throwIfStopped(signal: AbortSignal): void {
  if (!(signal.reason instanceof PollTimeout)) signal.throwIfAborted();
}

/**
 * Why a body could not be parsed: it is broken, there was no time left, or too many others wait. Every other error is
 * a fault of this node, or the poll was stopped.
 */
export function isParseFailure(error: unknown): error is Error {
  return error instanceof MalformedInput || error instanceof PoolBusy || error instanceof PollTimeout;
}
