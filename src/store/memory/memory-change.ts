import type { Metadata } from '../../component/metadata.js';
import { type Source, sourceKey } from '../../component/precedence.js';
import { type Precedence, sameAuthority } from '../../core/precedence.js';
import {
  type Change,
  type ChangeCount,
  countChanges,
  isUnchanged,
  NO_CHANGE,
  sumOfCounts,
} from '../../registry/change.js';
import type { StatementChange } from '../../registry/changes.js';
import type { Amendment, DocumentChange, SourceChange } from '../../registry/source-change.js';
import type { DocumentRecord } from '../../registry/source-record.js';
import { HashChange, sourceLine } from '../feed/source-hashes.js';
import type { HeldDescription } from './memory-catalog.js';
import {
  type MemoryData,
  type MemoryDocument,
  type MemoryFeed,
  type MemorySource,
  type MemoryStatement,
  NO_DOCUMENT,
} from './memory-data.js';
import { statementKey } from './memory-feed.js';
import { changedMap } from './shared-map.js';

export interface ChangeParts {
  readonly before: MemorySource;
  readonly feed: MemoryFeed;
  readonly precedence: Precedence;
  readonly now: number;
}

/** What a commit makes of a source and of the feed. */
export interface ChangedSource {
  readonly source: MemorySource;
  readonly feed: MemoryFeed;
  readonly count: ChangeCount;
  /** Does the revision move? Also when only the authority of what is said differs. */
  readonly moves: boolean;
  /** The components of which a document says something else than before, or in another place; by document. */
  readonly differing: Differing;
}

type Differing = ReadonlyMap<string, ReadonlySet<string>>;

/** @throws DigestMismatch; TypeError for a change of `of` without what the document says */
export function changedSource(
  { documents, record, expected }: Omit<SourceChange, 'source'>,
  parts: ChangeParts,
): ChangedSource {
  const { before, precedence } = parts;
  const change = new Changing(parts);
  for (const document of documents) change.document(document);
  change.hashes.verify(expected);
  const moves = change.moves || change.hashes.changed.size > 0;
  const feed = moves ? change.feed() : parts.feed;
  const hashes = change.hashes.all;
  const line = moves
    ? sourceLine(before.source, hashes, { rank: precedence.rank(before.source), position: feed.position })
    : before.line;
  const source = {
    ...before,
    ...{ record: record(before.record), documents: change.documents, hashes, line },
  };
  return { source, feed, count: change.count, moves, differing: change.differing };
}

class Changing {
  readonly #before: MemorySource['documents'];
  /** What changes of them; `undefined` where one goes. */
  readonly #documents = new Map<string, MemoryDocument | undefined>();
  readonly hashes: HashChange;
  count: ChangeCount = NO_CHANGE;
  readonly #differing = new Map<string, Set<string>>();
  readonly #source: Source;
  readonly #feed: MemoryFeed;
  /** A copy, once one of them comes or goes: there may be thousands. */
  #tombstones: Map<string, StatementChange> | undefined;
  readonly #at: number;
  #position: number;

  constructor({ before, feed, now }: ChangeParts) {
    this.#before = before.documents;
    this.hashes = new HashChange(before.hashes);
    this.#source = before.source;
    this.#feed = feed;
    this.#at = Math.max(now, feed.at);
    this.#position = feed.position;
  }

  get documents(): MemorySource['documents'] {
    return changedMap(this.#before, this.#documents);
  }

  get differing(): Differing {
    return this.#differing;
  }

  get moves(): boolean {
    return this.#position > this.#feed.position;
  }

  feed(): MemoryFeed {
    const position = Math.max(this.#position, this.#feed.position + 1);
    const tombstones = this.#tombstones ?? this.#feed.tombstones;
    return { ...this.#feed, position, at: this.#at, tombstones };
  }

  document(change: DocumentChange): void {
    const { url, record } = change;
    const held = this.#documents.has(url) ? this.#documents.get(url) : this.#before.get(url);
    const before = held ?? NO_DOCUMENT;
    refuseOrphans(change, before);
    const components = this.#after(change, before);
    this.#documents.set(url, record === null ? undefined : { record, components });
  }

  #after(change: DocumentChange, before: MemoryDocument): MemoryDocument['components'] {
    const { url, components, amend, record } = change;
    if (record && !components && amend && sameAuthority(record.authority, before.record.authority)) {
      return this.#amended(url, before.components, amend, record.of ?? '');
    }
    const said = saidAfter(change, before);
    return said ? this.#components(url, before, said, record ?? before.record) : before.components;
  }

  /** Takes time for what is named: documents of many components come in portions. */
  #amended(
    url: string,
    before: MemoryDocument['components'],
    { put = [], remove = [] }: Amendment,
    of: string,
  ): MemoryDocument['components'] {
    const after = new Map<string, MemoryStatement | undefined>();
    const said = byUri(put);
    const changes: Change[] = [];
    for (const uri of new Set([...said.keys(), ...remove])) {
      const [old, metadata] = [before.get(uri), said.get(uri)];
      const change = { ...(old ? { before: old.metadata } : {}), ...(metadata ? { after: metadata } : {}) };
      if ((!old && !metadata) || isUnchanged(change)) continue;
      changes.push(change);
      this.#note(url, uri);
      if (old) this.hashes.remove(of, url, old.metadata);
      if (metadata) {
        after.set(uri, this.#placed(url, metadata, old !== undefined));
        this.hashes.add(of, url, metadata);
      } else {
        after.set(uri, undefined);
        this.#bury(url, uri);
      }
    }
    this.count = sumOfCounts([this.count, countChanges(changes)]);
    return changedMap(before, after);
  }

  #components(
    url: string,
    { record: recordBefore, components: before }: MemoryDocument,
    said: ReadonlyMap<string, Metadata>,
    record: DocumentRecord,
  ): MemoryDocument['components'] {
    const after = new Map<string, MemoryStatement>();
    const isInPlace = sameAuthority(record.authority, recordBefore.authority);
    const changes: Change[] = [];
    for (const [uri, metadata] of said) {
      const old = before.get(uri);
      const change = old ? { before: old.metadata, after: metadata } : { after: metadata };
      if (old && isUnchanged(change) && isInPlace) after.set(uri, old);
      else {
        after.set(uri, this.#placed(url, metadata, old !== undefined));
        this.#note(url, uri);
      }
      if (!isUnchanged(change)) changes.push(change);
    }
    for (const [uri, { metadata }] of before) {
      if (said.has(uri)) continue;
      changes.push({ before: metadata });
      this.#note(url, uri);
      this.#bury(url, uri);
    }
    this.#hash(url, { before, of: recordBefore.of ?? '' }, { after, of: record.of ?? '' });
    this.count = sumOfCounts([this.count, countChanges(changes)]);
    return after;
  }

  #note(document: string, uri: string): void {
    const uris = this.#differing.get(document) ?? new Set();
    this.#differing.set(document, uris.add(uri));
  }

  #placed(url: string, metadata: Metadata, isUpdate: boolean): MemoryStatement {
    this.#position += 1;
    const key = statementKey(this.#source, url, metadata.uri);
    if ((this.#tombstones ?? this.#feed.tombstones).has(key)) this.#ownTombstones().delete(key);
    return { metadata, position: this.#position, at: this.#at, isUpdate };
  }

  #bury(document: string, uri: string): void {
    this.#position += 1;
    const source = this.#source;
    const tombstone = { position: this.#position, at: this.#at, source, document, uri };
    this.#ownTombstones().set(statementKey(source, document, uri), tombstone);
  }

  #ownTombstones(): Map<string, StatementChange> {
    this.#tombstones ??= new Map(this.#feed.tombstones);
    return this.#tombstones;
  }

  #hash(
    url: string,
    { before, of: ofBefore }: { before: MemoryDocument['components']; of: string },
    { after, of }: { after: MemoryDocument['components']; of: string },
  ): void {
    for (const [uri, old] of before) {
      if (of !== ofBefore || after.get(uri) !== old) this.hashes.remove(ofBefore, url, old.metadata);
    }
    for (const [uri, now] of after) {
      if (of !== ofBefore || before.get(uri) !== now) this.hashes.add(of, url, now.metadata);
    }
  }
}

/** What the document says from now on, by uri; `undefined` when that does not change. */
function saidAfter(
  { components, amend, record }: DocumentChange,
  before: MemoryDocument,
): Map<string, Metadata> | undefined {
  if (record === null) return new Map();
  if (components) return byUri(components);
  if (!amend && sameAuthority(record.authority, before.record.authority)) return undefined;
  const said = new Map<string, Metadata>();
  for (const [uri, { metadata }] of before.components) said.set(uri, metadata);
  for (const uri of amend?.remove ?? []) said.delete(uri);
  for (const [uri, metadata] of byUri(amend?.put ?? [])) said.set(uri, metadata);
  return said;
}

/** Of several descriptions of one component, the first one counts. */
function byUri(components: readonly Metadata[]): Map<string, Metadata> {
  const first = new Map<string, Metadata>();
  for (const one of components) if (!first.has(one.uri)) first.set(one.uri, one);
  return first;
}

function refuseOrphans({ components, record }: DocumentChange, before: MemoryDocument): void {
  if (record === null || components || (record.of ?? '') === (before.record.of ?? '')) return;
  if (before.components.size > 0) {
    throw new TypeError('What a document belongs to changes only with all that it says');
  }
}

/** The data with new positions for some statements, which say what they said before, and since when they did. */
export function toldAnew(
  { sources: before, feed }: Pick<MemoryData, 'sources' | 'feed'>,
  statements: readonly Pick<HeldDescription, 'of' | 'metadata' | 'since'>[],
  now: number,
): Pick<MemoryData, 'sources' | 'feed'> {
  const sources = new Map(before);
  const at = Math.max(now, feed.at);
  let { position } = feed;
  for (const { of, metadata, since } of statements) {
    const { source, document } = of;
    const held = sources.get(sourceKey(source));
    const said = held?.documents.get(document);
    if (!held || !said) continue;
    position += 1;
    const components = new Map(said.components);
    components.set(metadata.uri, { metadata, position, at, isUpdate: true, since });
    const documents = new Map(held.documents).set(document, { ...said, components });
    sources.set(sourceKey(source), { ...held, documents, line: held.line && { ...held.line, position } });
  }
  return { sources, feed: position === feed.position ? feed : { ...feed, position, at } };
}
