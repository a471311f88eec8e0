import { type Origin, originOf } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import type { DocumentRecord } from '../core/document-record.js';
import { type Precedence, sameAuthority } from '../core/precedence.js';
import { NO_HASHES, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord, StoredDocument, StoredSource } from '../core/source-record.js';
import type { LtHash } from '../lib/lt-hash.js';
import type { CommitContents, DocumentRow, HashRow, Keyed, SourceRow } from './commit-contents.js';
import { HeldPins } from './held-pins.js';
import { sourceRowKey } from './row-keys.js';

/** A document as it is held: what is remembered of it, and the origin of what it says. Never changed. */
export interface HeldDocument {
  readonly record: DocumentRecord;
  readonly origin: Origin;
}

/** A source as it is held. Another object after each change of the source. */
export interface HeldSource extends SourceRow {
  /** By URL. Changed in place. */
  readonly documents: Map<string, HeldDocument>;
  /** By `DocumentRecord.of`. Changed in place. */
  readonly hashes: Map<string, LtHash>;
  readonly summary: SourceSummary | undefined;
}

/**
 * What is remembered of sources, documents and modules, as the rows of the keep have it: they are applied as each commit changes
 * them, one's own and that of others alike.
 */
export class Held {
  readonly pins = new HeldPins();
  /** By the keys of their rows, as the maps below: a row that is gone tells nothing else. */
  readonly #sources = new Map<string, HeldSource>();
  readonly #hashes = new Map<string, HashRow>();
  readonly #documents = new Map<string, DocumentRow>();
  readonly #views = new WeakMap<HeldSource, StoredSource>();

  constructor(readonly precedence: Precedence) {}

  source(source: Source): HeldSource | undefined {
    return this.#sources.get(sourceRowKey(source));
  }

  /** What is held of a source, at its present rank; also of one of which nothing is known yet. */
  current(source: Source): HeldSource {
    const rank = this.precedence.rank(source);
    return { ...(this.source(source) ?? emptySource(source, rank)), rank };
  }

  all(): Iterable<HeldSource> {
    return this.#sources.values();
  }

  /** Of the sources that describe something. */
  summaries(): SourceSummary[] {
    return [...this.#sources.values()].flatMap(({ summary }) => summary ?? []);
  }

  /** The summaries as they are once a commit is applied. */
  summariesAfter({ sources, hashes }: Pick<CommitContents, 'sources' | 'hashes'>): SourceSummary[] {
    const after = new Map<string, Map<string, LtHash>>();
    for (const [rowKey, row] of hashes) {
      const about = row ?? this.#hashes.get(rowKey);
      if (!about) continue;
      const key = sourceRowKey(about.source);
      const known = after.get(key) ?? new Map(this.#sources.get(key)?.hashes);
      put(known, about.of, row?.hash);
      after.set(key, known);
    }
    const changed = [...sources].flatMap(([key, row]) => {
      const known = after.get(key) ?? this.#sources.get(key)?.hashes ?? NO_HASHES;
      return (row && sourceSummary(row.source, known, row)) ?? [];
    });
    return [...this.summaries().filter(({ source }) => !sources.has(sourceRowKey(source))), ...changed];
  }

  /** The origin of what a document says when this is remembered of it: the same object while its authority is the same. */
  originOf(source: Source, document: string, { authority }: Pick<DocumentRecord, 'authority'>): Origin {
    const held = this.source(source)?.documents.get(document)?.origin;
    if (held && sameAuthority(held.authority, authority)) return held;
    return originOf({ source, document, authority }, this.precedence);
  }

  /** Applies what a commit has changed. */
  apply({ sources, hashes, documents, pins }: Rows): void {
    for (const [key, pin] of pins) this.pins.set(key, pin);
    const touched = new Set<string>();
    for (const [key, row] of sources) {
      const held = row && (this.#sources.get(key) ?? emptySource(row.source, row.rank));
      put(this.#sources, key, held && { ...held, ...row, source: held.source });
      touched.add(key);
    }
    for (const [{ source, of }, row] of applied(hashes, this.#hashes)) {
      const held = this.source(source);
      put(held?.hashes, of, row?.hash);
      touched.add(sourceRowKey(source));
    }
    for (const [{ source, document }, row] of applied(documents, this.#documents)) {
      const held = row && { record: row.record, origin: this.originOf(source, document, row.record) };
      put(this.source(source)?.documents, document, held);
      touched.add(sourceRowKey(source));
    }
    for (const key of touched) {
      const held = this.#sources.get(key);
      if (held) this.#sources.set(key, { ...held, summary: sourceSummary(held.source, held.hashes, held) });
    }
  }

  /** Remembers something of a source that could not be stored. */
  remember(source: Source, record: SourceRecord): void {
    this.#sources.set(sourceRowKey(source), { ...this.current(source), record });
  }

  /** For those who only read: the same object until the source changes, because there may be thousands of documents. */
  stored(held: HeldSource, components: (origin: Origin) => number): StoredSource {
    const known = this.#views.get(held);
    if (known) return known;
    const documents = new Map<string, StoredDocument>();
    for (const [url, { record, origin }] of held.documents)
      documents.set(url, { ...record, components: components(origin) });
    const view = { source: held.source, record: held.record, documents };
    this.#views.set(held, view);
    return view;
  }
}

type Rows = Pick<CommitContents, 'sources' | 'hashes' | 'documents' | 'pins'>;

/** Applies rows to those that are held. @returns what each row is about, and what it says now */
function* applied<T>(rows: Keyed<T>, held: Map<string, T>): Generator<[about: T, row: T | undefined]> {
  for (const [key, row] of rows) {
    const about = row ?? held.get(key);
    put(held, key, row);
    if (about) yield [about, row];
  }
}

function put<K, V>(map: Map<K, V> | undefined, key: K, value: V | undefined): void {
  if (value === undefined) map?.delete(key);
  else map?.set(key, value);
}

/** A source of which nothing is known. */
function emptySource({ kind, url }: Source, rank: number): HeldSource {
  const nothing = { position: 0, seals: 0, documents: new Map(), hashes: new Map(), summary: undefined };
  return { source: { kind, url }, record: { failures: 0 }, rank, ...nothing };
}
