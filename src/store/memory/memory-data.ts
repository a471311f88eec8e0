import type { Metadata } from '../../component/metadata.js';
import { type Source, sameSource, sourceKey } from '../../component/source.js';
import { type Cursor, cursorOf } from '../../core/cursor.js';
import { outlived, REMEMBERED_STATES } from '../../core/feed-window.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import type { StoredPin } from '../../core/pins.js';
import { feedDigest, NO_HASHES, type SourceHashes, type SourceSummary } from '../../core/source-digests.js';
import { grouped } from '../../lib/grouped.js';
import type { StatementChange } from '../../registry/changes.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import { NO_FEED } from '../../registry/feed.js';
import type { Revision } from '../../registry/revision.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { State } from '../../registry/state.js';

/** A statement, or the tombstone of one: without metadata. */
export type MemoryStatement = Omit<StatementChange, 'rank' | 'pin'>;

export type LiveStatement = MemoryStatement & { readonly metadata: Metadata };

/** Neither the URL of a source nor that of a document has a space. */
export function statementKey({
  source,
  document,
  uri,
}: Pick<MemoryStatement, 'source' | 'document' | 'uri'>): string {
  return `${sourceKey(source)} ${document} ${uri}`;
}

export interface MemorySource {
  readonly source: Source;
  readonly record: SourceRecord;
  /** By URL. */
  readonly documents: ReadonlyMap<string, DocumentRecord>;
  readonly hashes: SourceHashes;
  /** Absent when it describes nothing. */
  readonly summary?: SourceSummary | undefined;
}

export function emptySource(source: Source): MemorySource {
  return { source, record: { failures: 0 }, documents: new Map(), hashes: NO_HASHES };
}

/** Everything that a disk would hold. A change makes another one; who keeps one keeps a backup. */
export interface MemoryData {
  /** By `sourceKey`. */
  readonly sources: ReadonlyMap<string, MemorySource>;
  /** By `statementKey`, in the order of positions: one that changes moves to the end. */
  readonly statements: ReadonlyMap<string, MemoryStatement>;
  readonly network: NetworkLists;
  /** By `pinKey`. */
  readonly pins: ReadonlyMap<string, StoredPin>;
  readonly state: State;
  /** When the latest position was given, ms since the Unix epoch. */
  readonly at: number;
  /** The states that are remembered, the present one last. */
  readonly states: readonly Cursor[];
  /** What the descriptions looked like to readers at the last start. */
  readonly servedAs: string | undefined;
  /** Namespace of the vocabulary in which documents were read. */
  readonly namespace: string | undefined;
}

const NEVER: Revision = { epoch: '', number: 0, since: 0 };

export const NO_DATA: MemoryData = {
  sources: new Map(),
  statements: new Map(),
  network: NO_NETWORK,
  pins: new Map(),
  state: { revision: NEVER, networkRevision: NEVER, components: 0, feed: NO_FEED },
  at: 0,
  states: [],
  servedAs: undefined,
  namespace: undefined,
};

/** What a source says now, by document. */
export function saidBy({ statements }: MemoryData, source: Source) {
  const isSaid = (one: MemoryStatement): one is LiveStatement =>
    one.metadata !== undefined && sameSource(one.source, source);
  return grouped([...statements.values()].filter(isSaid), ({ document }) => document);
}

/** What differs from the data before. */
export interface DataChange extends Partial<Pick<MemoryData, 'sources' | 'statements' | 'network' | 'pins'>> {
  /** Where the revisions move. */
  readonly revision?: Revision;
  readonly networkRevision?: Revision;
  /** Of the latest change in the feed, where there is a new one. */
  readonly position?: number;
  readonly now: number;
}

/** The data in another state, without tombstones and states that need not be remembered any more. */
export function inNextState(data: MemoryData, change: DataChange): MemoryData {
  const { sources, network, pins } = { ...data, ...change };
  const { revision, networkRevision, feed } = { ...data.state, ...change };
  const { now, position = feed.position, statements: all = data.statements } = change;
  const removals = [...all.values()].filter(({ metadata }) => !metadata);
  const count = removals.length;
  const forgotten = outlived(removals, { count, statements: all.size - count, now });
  const gone = new Set(forgotten.map(statementKey));
  const statements = gone.size === 0 ? all : new Map([...all].filter(([key]) => !gone.has(key)));
  const uris = new Set([...statements.values()].filter(({ metadata }) => metadata).map(({ uri }) => uri));
  const summaries = [...sources.values()].flatMap(({ summary }) => summary ?? []);
  const digest = feedDigest(summaries, networkRevision.number);
  const tombstones = count - forgotten.length;
  const shown = { position, digest, floor: feed.floor, tombstones, sources: summaries };
  const cursor = cursorOf({ revision, feed: shown });
  const known = data.states.at(-1)?.position === position ? data.states.slice(0, -1) : data.states;
  const states = [...known, cursor].slice(-REMEMBERED_STATES - 1);
  const oldest = states.length > REMEMBERED_STATES ? (states[0]?.position ?? 0) : 0;
  const floor = Math.max(feed.floor, forgotten.at(-1)?.position ?? 0, oldest);
  const state = { revision, networkRevision, components: uris.size, feed: { ...shown, floor } };
  const at = position > feed.position ? Math.max(data.at, now) : data.at;
  return { ...data, sources, network, pins, statements, states, state, at };
}
