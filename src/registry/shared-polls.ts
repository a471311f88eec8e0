import type { Source } from '../component/source.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Lease as KeepLease } from '../keep/keep.js';

/** What nodes that share one registry tell one another, so that each source is polled by one of them at a time. */
export interface SharedPolls {
  /**
   * Takes a source for one poll. `undefined` while another node has it: until its poll has ended, or the node has not been
   * heard of for a while. @throws when the registry cannot be asked
   */
  take(source: Source): Promise<Lease | undefined>;
  /**
   * Calls `listener` with what other nodes have stored of a source, most often after a poll, within a second. The function
   * that is returned ends it.
   */
  watch(listener: (source: Source, record: SourceRecord) => void): () => void;
}

/**
 * A source that nobody else polls for as long as something is heard of this node and it has not released the source. A node
 * that was paused for longer does not know that the source is another's now: the poll names its lease with all that it
 * commits (`SourceChange.lease`), and the registry compares.
 */
export interface Lease extends KeepLease {
  /** What is remembered of the source when the lease is taken. */
  readonly record: SourceRecord | undefined;
  /** Of the data, when the lease is taken. */
  readonly epoch: string;
}
