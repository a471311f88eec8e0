import { type Metadata, sameMetadata } from '../../component/metadata.js';
import { type Source, sourceKey } from '../../component/source.js';
import { type DocumentBefore, documentSteps, hashStep, StepCount } from '../../core/document-change.js';
import type { Precedence } from '../../core/precedence.js';
import { HashChange, sourceLine } from '../../core/source-digests.js';
import type { ChangeCount } from '../../registry/change.js';
import type { StatementChange } from '../../registry/changes.js';
import type { DocumentChange, SourceChange } from '../../registry/source-change.js';
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
  readonly count = new StepCount();
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
    const said = (this.#documents.has(url) ? this.#documents.get(url) : this.#before.get(url)) ?? NO_DOCUMENT;
    const before = documentBefore(said);
    const after = new Map<string, MemoryStatement | undefined>();
    for (const step of documentSteps(change, before)) {
      hashStep(step, change, before, this.hashes);
      this.count.count(step);
      if (step.kind === 'kept') continue;
      const { uri } = step.after ?? step.before.metadata;
      this.#note(url, uri);
      if (step.after) after.set(uri, this.#placed(url, step.after, step.kind !== 'added'));
      else {
        after.set(uri, undefined);
        this.#bury(url, uri);
      }
    }
    const components = changedMap(said.components, after);
    this.#documents.set(url, record === null ? undefined : { record, components });
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
}

function documentBefore({ record, components }: MemoryDocument): DocumentBefore<MemoryStatement> {
  return {
    record,
    size: components.size,
    find: (uri) => components.get(uri),
    all: () => components.values(),
    metadataOf: ({ metadata }) => metadata,
    says: ({ metadata }, after) => sameMetadata(metadata, after),
  };
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
