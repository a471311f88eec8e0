import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/precedence.js';
import type { Catalog } from './catalog.js';
import type { ChangeCount, SourceChange, StoredSource } from './source-record.js';

/** A point in the history of what the node serves; it moves on real change only and survives restarts. */
export interface Revision {
  /** Made when the data directory was made; a wiped directory starts a new one. */
  readonly epoch: string;
  readonly number: number;
  /** When this point was reached, ms since the epoch. */
  readonly since: number;
}

/** The two lists of addresses that the node passes on, as URLs. */
export interface NetworkLists {
  readonly peers: readonly string[];
  readonly storage: readonly string[];
}

/**
 * The persistent registry: quads and bookkeeping on disk, the catalog in memory, one way to change both.
 * Every change is one atomic batch, flushed to disk before its promise resolves, and in the catalog after that.
 */
export interface Registry {
  /** What readers see. */
  readonly catalog: Catalog;
  /** Moves with every change of the served components. */
  readonly revision: Revision;
  /** Moves with every change of the lists given to `setNetwork`. */
  readonly networkRevision: Revision;
  /** Replaces what a source says by what its poll found. Polls of one source are the caller's to keep apart. */
  commit(change: SourceChange): Promise<ChangeCount>;
  /** Adds or replaces components in the node's own graph: all of them or none. */
  upsertLocal(components: readonly Metadata[]): Promise<ChangeCount>;
  /** Removes the node's own statement about a component; false when there was none. */
  removeLocal(uri: string): Promise<boolean>;
  /** Drops a source with all that it brought. */
  forget(source: Source): Promise<void>;
  /** Sets the lists; `networkRevision` moves if they differ from the ones before (also those before a restart). */
  setNetwork(lists: NetworkLists): Promise<void>;
  source(source: Source): StoredSource | undefined;
  /** Every source that has been polled or has brought something, the node itself included. */
  sources(): readonly StoredSource[];
  /** Waits for what is being written, then closes the files. */
  close(): Promise<void>;
}
