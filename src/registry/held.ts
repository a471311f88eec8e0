import { type Origin, originOf } from '../catalog/entry.js';
import { type Source, sourceKey } from '../component/source.js';
import { type Precedence, sameAuthority } from '../core/precedence.js';
import { type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { StatementHash } from '../core/statement-hash.js';
import type { CommitContents, DocumentRow, HashRow, SourceRow } from './commit-contents.js';
import type { DocumentRecord } from './document-record.js';
import { HeldPins } from './held-pins.js';
import { sourceRowKey } from './row-keys.js';
import type { SourceRecord, StoredDocument, StoredSource } from './source-record.js';

/** A document as it is held: what is remembered of it, and the origin of what it says. Never changed. */
export interface HeldDocument {
  readonly record: DocumentRecord;
  readonly origin: Origin;
}

/** A source as it is held. Another object after each change of the source. */
export interface HeldSource {
  readonly source: Source;
  readonly record: SourceRecord;
  readonly rank: number;
  /** Of the latest change of the summary. */
  readonly position: number;
  /** By URL. Changed in place. */
  readonly documents: Map<string, HeldDocument>;
  /** By `DocumentRecord.of`, as the sums of seals. Changed in place. */
  readonly hashes: Map<string, StatementHash>;
  readonly seals: Map<string, number>;
  readonly summary: SourceSummary | undefined;
}

/**
 * What is remembered of sources, documents and modules, as the rows of the keep have it: they are applied as each commit changes
 * them, one's own and that of others alike.
 */
export class Held {
  readonly pins = new HeldPins();
  readonly #precedence: Precedence;
  /** By the keys of their rows, as the maps below: a row that is gone tells nothing else. */
  readonly #sources = new Map<string, HeldSource>();
  readonly #hashes = new Map<string, HashRow>();
  readonly #documents = new Map<string, DocumentRow>();
  readonly #views = new WeakMap<HeldSource, StoredSource>();

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  source(source: Source): HeldSource | undefined {
    return this.#sources.get(sourceRowKey(source));
  }

  all(): Iterable<HeldSource> {
    return this.#sources.values();
  }

  /** Of the sources that describe something. */
  summaries(): SourceSummary[] {
    return [...this.#sources.values()].flatMap(({ summary }) => summary ?? []);
  }

  /** The origin of what a document says when this is remembered of it: the same object while its authority is the same. */
  originOf(source: Source, document: string, { authority }: Pick<DocumentRecord, 'authority'>): Origin {
    const held = this.source(source)?.documents.get(document)?.origin;
    if (held && sameAuthority(held.authority, authority)) return held;
    return originOf({ source, document, authority }, this.#precedence);
  }

  /** Applies what a commit has changed. */
  apply({
    sources,
    hashes,
    documents,
    pins,
  }: Pick<CommitContents, 'sources' | 'hashes' | 'documents' | 'pins'>): void {
    for (const [key, pin] of pins) this.pins.set(key, pin);
    for (const [key, row] of sources) this.#applySource(key, row);
    const touched = new Map<string, Source>();
    for (const [key, row] of hashes) {
      const one = row ?? this.#hashes.get(key);
      if (!one) continue;
      touched.set(sourceKey(one.source), one.source);
      put(this.#hashes, key, row);
      const held = this.source(one.source);
      if (held) put(held.hashes, one.of, row?.hash);
      if (held) put(held.seals, one.of, row?.seals);
    }
    for (const [key, row] of documents) {
      const one = row ?? this.#documents.get(key);
      if (!one) continue;
      touched.set(sourceKey(one.source), one.source);
      put(this.#documents, key, row);
      const { source, document } = one;
      const held = row && { record: row.record, origin: this.originOf(source, document, row.record) };
      put(this.source(source)?.documents, document, held);
    }
    for (const source of touched.values()) {
      const held = this.source(source);
      if (held) this.#sources.set(sourceRowKey(source), summed(held));
    }
  }

  /** Remembers something of a source that could not be stored. */
  remember(source: Source, record: SourceRecord): void {
    const held = this.source(source) ?? emptySource(source, this.#precedence.rank(source));
    this.#sources.set(sourceRowKey(source), { ...held, record });
  }

  /** For those who only read: the same object until the source changes, because there may be thousands of documents. */
  stored(held: HeldSource, components: (origin: Origin) => number): StoredSource {
    const known = this.#views.get(held);
    if (known) return known;
    const { source, record } = held;
    const documents = new Map<string, StoredDocument>();
    for (const [url, { record, origin }] of held.documents)
      documents.set(url, { ...record, components: components(origin) });
    const view = { source, record, documents };
    this.#views.set(held, view);
    return view;
  }

  #applySource(key: string, row: SourceRow | undefined): void {
    if (!row) {
      this.#sources.delete(key);
      return;
    }
    const held = this.#sources.get(key) ?? emptySource(row.source, row.rank);
    this.#sources.set(key, summed({ ...held, ...row, source: held.source }));
  }
}

function put<K, V>(map: Map<K, V> | undefined, key: K, value: V | undefined): void {
  if (value === undefined) map?.delete(key);
  else map?.set(key, value);
}

export function emptySource(source: Source, rank: number): HeldSource {
  const nothing = { documents: new Map(), hashes: new Map(), seals: new Map(), summary: undefined };
  const { kind, url } = source;
  return { source: { kind, url }, record: { failures: 0 }, rank, position: 0, ...nothing };
}

function summed(held: HeldSource): HeldSource {
  return { ...held, summary: sourceSummary(held.source, held.hashes, held) };
}
