import type { Metadata } from '../../component/metadata.js';
import type { Source } from '../../component/precedence.js';
import { type NetworkLists, NO_NETWORK } from '../../registry/network-lists.js';
import type { Revision } from '../../registry/revision.js';
import type { DocumentRecord, SourceRecord } from '../../registry/source-record.js';

/** One document of a source: what it says, and what is remembered of it. */
export interface MemoryDocument {
  readonly record: DocumentRecord;
  /** By uri. */
  readonly components: ReadonlyMap<string, Metadata>;
}

export interface MemorySource {
  readonly source: Source;
  readonly record: SourceRecord;
  /** By URL. */
  readonly documents: ReadonlyMap<string, MemoryDocument>;
}

/** Everything that a disk would hold. A change makes another one; who keeps one keeps a backup. */
export interface MemoryData {
  /** By `sourceKey`. */
  readonly sources: ReadonlyMap<string, MemorySource>;
  readonly network: NetworkLists;
  readonly revision: Revision | undefined;
  readonly networkRevision: Revision | undefined;
  /** What the descriptions looked like to readers at the last start. */
  readonly servedAs: string | undefined;
  /** Namespace of the vocabulary in which documents were read. */
  readonly namespace: string | undefined;
}

export const NO_DATA: MemoryData = {
  sources: new Map(),
  network: NO_NETWORK,
  revision: undefined,
  networkRevision: undefined,
  servedAs: undefined,
  namespace: undefined,
};
