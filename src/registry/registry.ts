import type { Catalog } from '../catalog/catalog.js';
import type { Source } from '../component/source.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { StoredSource } from '../core/source-record.js';
import type { ChangeCount } from './change.js';
import type { Pins } from './pins.js';
import type { OwnChange, SourceChange } from './source-change.js';

/**
 * The writing side of a registry, and the sole owner of what is remembered about sources.
 *
 * Every change is atomic: after a crash at any instant all of it is there or nothing. It is durable before its
 * promise resolves, and readers see it from that moment on, in one step. When it rejects, nothing has changed;
 * but with `OutcomeUnknown` nobody can tell, and readers see it later or never.
 * Changes of one source happen one after another, in the order in which they were asked for; changes of
 * different sources may overlap. What finds nothing new moves no revision.
 */
export interface Registry {
  /**
   * Replaces what documents of a source say, and what is remembered of the source and of these documents.
   * Documents that are not named stay as they are. Counts what has really changed.
   * @throws DigestMismatch when `expected` is not met; LeaseLost
   */
  commit(change: SourceChange): Promise<ChangeCount>;

  /** Changes the node's own graph (`LOCAL`): all of it or nothing. A uri that is not there is no error. */
  commitOwn(change: OwnChange): Promise<ChangeCount>;

  /**
   * Drops a source with everything that it brought; does nothing for one that is unknown. Of a large one, each commit removes
   * a part. When that is broken off, by a crash or between two commits by the signal, the rest goes when it is asked for
   * again; a poll that comes first reads everything anew.
   * @throws the reason of the signal
   */
  forget(source: Source, signal?: AbortSignal): Promise<void>;

  /** Sets the addresses that the node passes on; moves `networkRevision` if they differ, also from before a restart. */
  setNetwork(lists: NetworkLists): Promise<void>;

  /** What is remembered of a source; `undefined` when it has neither been polled nor said anything. */
  source(source: Source): Promise<StoredSource | undefined>;

  /**
   * All of them, the node itself included. What other nodes have changed in a shared database is in it within ten seconds, so
   * that anybody may ask: nothing is read twice.
   */
  sources(): Promise<readonly StoredSource[]>;

  /** Waits for changes under way, then lets go of everything. Nothing may be asked afterwards. */
  close(): Promise<void>;
}

/** All sides of one registry. */
export interface OpenRegistry {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly pins: Pins;
}
