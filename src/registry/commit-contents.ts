import type { Revision } from '../catalog/catalog.js';
import type { Removal } from '../catalog/documents.js';
import type { Source } from '../component/source.js';
import type { ListingText } from '../component/writing/listing-text.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import type { ConfiguredSources } from '../core/precedence.js';
import type { SourceRecord } from '../core/source-record.js';
import type { LtHash } from '../lib/lt-hash.js';

/** A point in the history of answers. Its epoch is that of the keep. */
export type RevisionRow = Omit<Revision, 'epoch'>;

/** Where the registry stands. */
export interface Meta {
  readonly schema: number;
  readonly revision: RevisionRow;
  readonly networkRevision: RevisionRow;
  /** See `Feed`. */
  readonly position: number;
  readonly floor: number;
  /** Of the latest position, ms since the Unix epoch. */
  readonly at: number;
  /** Removals up to this position are forgotten. */
  readonly purged: number;
}

/** How answers are made of what is stored. It belongs to all nodes that share the data: so no `ETag` names two bodies. */
export interface Serving {
  readonly baseUrl: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** Vocabularies in which some quads may still be written. */
  readonly former: readonly string[];
  /** Whatever else decides what answers look like: the order of classes, the release. */
  readonly servedAs: string;
  readonly order: ConfiguredSources;
}

export interface SourceRow {
  readonly source: Source;
  readonly record: SourceRecord;
  /** Of the summary in the feed: `SourceSummary`. */
  readonly rank: number;
  readonly position: number;
  /** Sum of the seals of the rows of its statements: a start that finds others has lost some. */
  readonly seals: number;
}

/** What the documents of one source with the same `of` say, together. */
export interface HashRow {
  readonly source: Source;
  readonly of: string;
  readonly hash: LtHash;
}

export interface DocumentRow {
  readonly source: Source;
  readonly document: string;
  readonly record: DocumentRecord;
}

export interface StatementRow {
  readonly source: Source;
  readonly document: string;
  readonly listed: ListingText;
  readonly position: number;
  /** ms since the Unix epoch. */
  readonly at: number;
  readonly isUpdate: boolean;
  /** See `Stamp`. */
  readonly since?: number | undefined;
}

export type SealedStatement = StatementRow & {
  /** As 32 bits with a sign. */
  readonly seal: number;
};

/** A hundred states in the order of positions, `<position> <digits of the digest>` each. */
export type StateBlock = readonly string[];

/** A value under the key of its row; undefined when the row is deleted. */
export type Keyed<T> = ReadonlyMap<string, T | undefined>;

/** What one commit changes, read from its rows or about to become them. */
export interface CommitContents<S extends StatementRow = SealedStatement> {
  readonly meta?: Meta | undefined;
  readonly serving?: Serving | undefined;
  readonly network?: NetworkLists | undefined;
  readonly sources: Keyed<SourceRow>;
  readonly hashes: Keyed<HashRow>;
  readonly documents: Keyed<DocumentRow>;
  readonly pins: Keyed<StoredPin>;
  readonly states: ReadonlyMap<number, StateBlock | undefined>;
  readonly removals: readonly Removal[];
  readonly statements: readonly S[];
  /** Keys of statements that are not remembered as removed any more: they are said again, or there is nothing more of them. */
  readonly gone: readonly string[];
}

export const NO_CONTENTS: CommitContents<never> = {
  sources: new Map(),
  hashes: new Map(),
  documents: new Map(),
  pins: new Map(),
  states: new Map(),
  removals: [],
  statements: [],
  gone: [],
};
