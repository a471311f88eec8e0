import type { DocumentChange } from '../core/document-change.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import { MalformedInput } from '../lib/faults.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout, type SourceReader, throwIfStopped } from './source-reader.js';

/** The part of a source's record that the source itself decides. */
export type Remembered = Pick<SourceRecord, 'memo' | 'introduced' | 'skipped' | 'refused' | 'following'>;

/** What one poll found. Nothing of it has been stored yet, and nothing of it was handed to `PollProgress.store` before. */
export interface PollResult {
  /**
   * Documents that were read again, are gone, or have new bookkeeping, each once. What is not listed stays as it is: so a
   * poll that was cut short may add and change documents, and removes only those of which it has learned that they are
   * gone.
   */
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
  /** What must be stored when the result is: see `SourceChange`. */
  readonly expected?: ReadonlyMap<string, string>;
  /** Documents that go because this node does not want them any more, and not because the source has lost them. */
  readonly dropped?: ReadonlySet<string>;
  /** How often everything was read again, because what was stored was not what the source has; absent when it was not. */
  readonly repairs?: number;
  /**
   * What to store instead, where this cannot be stored as it is; nothing of it has been stored then. Without it, or when
   * it has nothing else (`undefined`), the result is stored as far as there is room, without removals that are pending. It comes to an end: it is
   * asked for a few times at most. It rejects for nothing but a fault of this node, like `SyncSource.poll`.
   */
  readonly otherwise?: (objection: Objection) => Promise<PollResult | undefined>;
}

/** Why the result of a poll cannot be stored as it is. */
export type Objection =
  /** What would be stored is not what is `expected`: `differing` are the keys there. */
  | { readonly reason: 'digest'; readonly differing: readonly string[] }
  /** The node does not keep so much of the source. */
  | { readonly reason: 'room' }
  /** The source would lose most of what it says; it may be that the other side does not mean that. */
  | { readonly reason: 'shrink' };

export interface PollFailure {
  /** For the status page: what happened, in plain words. */
  readonly message: string;
  /** Earliest time of the next try that the server asked for (`Retry-After`), ms since the epoch. */
  readonly notBefore?: number;
  /** Trying again cannot help before somebody changes the source or the configuration: it is tried less often. */
  readonly permanent?: boolean;
}

/** A pod or a peer, as the scheduler sees it. `test/sync/source-contract.ts` holds a test for each sentence here. */
export interface SyncSource extends Pick<SourceReader, 'source' | 'trust' | 'stream'> {
  /**
   * Reads the source once, and stores nothing but by `progress`.
   *
   * It never rejects for what the other side does: an answer that is late, broken, too large or missing is a failure in
   * the result or in the record of its document. A failure is not absence: only what a complete answer does not name any
   * more, or what its server says is gone, is removed.
   *
   * When nothing is new, requests are conditional and no bodies move (a container's listing excepted, whose validators
   * do not tell of edits), also after a restart: everything that this takes is in `stored`.
   *
   * When the time of the poll is over (`PollTimeout`), it resolves with what it has read until then and a failure. What
   * was under way is left as it was, for the next poll. When the poll is stopped, it rejects at once with the reason.
   *
   * @param stored what was stored of the source when the poll began
   */
  poll(stored: StoredSource | undefined, progress: PollProgress): Promise<PollResult>;
}

/** What a poll can ask of the scheduler while it goes on. */
export interface PollProgress {
  /**
   * Aborted when the poll has to end. The reason is a `PollTimeout` when it has lasted too long: what was read until
   * then counts. Any other reason means that its result is not wanted any more.
   */
  readonly signal: AbortSignal;
  /**
   * How much the node keeps of this source: what is stored of it now included. What is beyond is counted, by the source
   * (`unread`, or `omitted` in the record of a document) or when it is stored.
   */
  readonly limit: Amount;
  /** How much more of this source may be stored now. */
  readonly room: Amount;
  /** Is there no room worth speaking of? What is known of the source is read on. */
  readonly full: boolean;
  /**
   * To be called, and waited for, before a body of so many characters is parsed. For a learned source, it is noted on
   * disk then that the source is being read: should the process die of it, and again, the source is paused after the next
   * start. Rejects when that cannot be noted.
   */
  beforeParsing(characters: number): Promise<void>;
  /**
   * Stores a portion of what was found while the poll goes on, each document atomically, so that the poll need not hold
   * all of it in memory. Rejects when it cannot be stored, or when the poll has ended.
   */
  store(documents: readonly DocumentChange[]): Promise<void>;
}

/** An amount of descriptions, and the bytes of their texts. */
export interface Amount {
  readonly components: number;
  readonly bytes: number;
}

export { PollTimeout, throwIfStopped };

/**
 * Why a body could not be parsed: it is broken, there was no time left, or too many others wait. Every other error is
 * a fault of this node, or the poll was stopped.
 */
export function isParseFailure(error: unknown): error is Error {
  return error instanceof MalformedInput || error instanceof PoolBusy || error instanceof PollTimeout;
}
