import { type Origin, originOf } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import type { DocumentRecord } from '../core/document-record.js';
import { type Precedence, sameAuthority } from '../core/precedence.js';
import { type SourceHashes, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord, StoredDocument, StoredSource } from '../core/source-record.js';
import { LayeredMap } from '../lib/layered-map.js';
import type { Breather } from '../lib/pace.js';
import type { Contents, Keyed } from './contents.js';
import { partRowKey, sourceOfPart, sourceRowKey } from './row-keys.js';
import type { DocumentRow, HashRow, SourceRow } from './rows.js';

/** A document as it is held: what is remembered of it, and the origin of what it says. */
interface HeldDocument {
  readonly origin: Origin;
  readonly record: DocumentRecord & { components: number };
}

type Place = Pick<DocumentRow, 'source' | 'document'>;

/** A source as it is held. */
export interface HeldSource extends SourceRow, StoredSource {
  readonly documents: HeldDocuments;
  /** By the keys of their rows: one that is gone tells nothing else. */
  readonly hashes: LayeredMap<HashRow>;
  readonly summary: SourceSummary | undefined;
}

/** The documents of a source, as its readers see them: by their URLs. */
class HeldDocuments implements ReadonlyMap<string, StoredDocument> {
  /** @param held by the keys of their rows */
  constructor(
    readonly source: Source,
    readonly held = new LayeredMap<HeldDocument>(),
  ) {}

  get size(): number {
    return this.held.size;
  }

  get(url: string): StoredDocument | undefined {
    return this.held.get(partRowKey(this.source, url))?.record;
  }

  has(url: string): boolean {
    return this.get(url) !== undefined;
  }

  forEach(callback: (document: StoredDocument, url: string, all: this) => void): void {
    for (const [url, document] of this) callback(document, url, this);
  }

  *keys(): Generator<string, undefined> {
    for (const [url] of this) yield url;
  }

  *values(): Generator<StoredDocument, undefined> {
    for (const [, document] of this) yield document;
  }

  *entries(): Generator<[string, StoredDocument], undefined> {
    for (const [, { origin, record }] of this.held.entries()) yield [origin.document, record];
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

type HeldRows = Pick<Contents, 'sources' | 'hashes' | 'documents'>;

/** What is remembered of sources and documents, as the rows of the keep have it. Never changed but by `remember` and `count`. */
export class Held {
  readonly #sources: Map<string, HeldSource>;

  constructor(
    readonly precedence: Precedence,
    sources: Iterable<readonly [rowKey: string, HeldSource]> = [],
  ) {
    this.#sources = new Map(sources);
  }

  source(source: Source): HeldSource | undefined {
    return this.#sources.get(sourceRowKey(source));
  }

  /** What is held of a source, at its present rank; also of one of which nothing is known yet. */
  current(source: Source): HeldSource {
    return { ...(this.source(source) ?? emptySource(source)), rank: this.precedence.rank(source) };
  }

  all(): HeldSource[] {
    return [...this.#sources.values()];
  }

  /** Of what a document says. */
  originOf({ source, document }: Place): Origin {
    return this.#document(source, document)?.origin ?? originOf({ source, document }, this.precedence);
  }

  /** Is anything remembered of a document? */
  hasDocument({ source, document }: Place): boolean {
    return this.#document(source, document) !== undefined;
  }

  /** Of the sources that describe something. */
  summaries(): SourceSummary[] {
    return this.all().flatMap(({ summary }) => summary ?? []);
  }

  /**
   * What is held once these rows are applied; what stays as it is, is the same object. Nothing may be remembered meanwhile. Gives
   * way to other work.
   */
  async with({ sources, hashes, documents }: HeldRows, breathe: Breather): Promise<Held> {
    if (sources.size + hashes.size + documents.size === 0) return this;
    const all = new Map(this.#sources);
    for (const [key, row] of sources) {
      if (row) all.set(key, { ...(all.get(key) ?? emptySource(row.source)), ...row });
      else all.delete(key);
    }
    const hashed = await bySource(hashes, (row) => row, breathe);
    const documented = await bySource(documents, (row) => this.#documentOf(row), breathe);
    for (const key of new Set([...sources.keys(), ...hashed.keys(), ...documented.keys()])) {
      const held = all.get(key);
      if (!held) continue;
      const { source, rank, position, documents } = held;
      const [some, others] = [hashed.get(key), documented.get(key)];
      const changed = some && (await held.hashes.changed(some, breathe));
      const summary = changed
        ? sourceSummary(source, byOf(changed), held)
        : held.summary && { ...held.summary, rank, position };
      const after = others && new HeldDocuments(source, await documents.held.changed(others, breathe));
      all.set(key, { ...held, hashes: changed ?? held.hashes, documents: after ?? documents, summary });
    }
    return new Held(this.precedence, all);
  }

  /** Remembers how many components a document describes that are stored: what rows of documents do not tell. */
  count({ source, document }: Place, components: number): void {
    const held = this.#document(source, document);
    if (held) held.record.components = components;
  }

  /** The origin is the same object while the authority is the same. */
  #documentOf({ source, document, record }: DocumentRow): HeldDocument {
    const { authority } = record;
    const known = this.#document(source, document)?.origin;
    const isSame = known && sameAuthority(known.authority, authority);
    const origin = isSame ? known : originOf({ source, document, authority }, this.precedence);
    return { origin, record: { ...record, components: 0 } };
  }

  #document(source: Source, document: string): HeldDocument | undefined {
    return this.source(source)?.documents.held.get(partRowKey(source, document));
  }

  /** Remembers something of a source that could not be stored; while nothing is written, as another one is made of this then. */
  remember(source: Source, record: SourceRecord): void {
    this.#sources.set(sourceRowKey(source), { ...this.current(source), record });
  }
}

/** By what documents belong to: see `DocumentRecord.of`. */
export function byOf(hashes: HeldSource['hashes']): SourceHashes {
  return new Map([...hashes.entries()].map(([, { of, hash }]) => [of, hash]));
}

/** What rows say, by the keys of the rows of the sources that they belong to, and by their own. */
async function bySource<R, V>(
  rows: Keyed<R>,
  held: (row: R) => V,
  breathe: Breather,
): Promise<ReadonlyMap<string, ReadonlyMap<string, V | undefined>>> {
  const sources = new Map<string, Map<string, V | undefined>>();
  for (const [rowKey, row] of rows) {
    const key = sourceOfPart(rowKey);
    const some = sources.get(key) ?? new Map<string, V | undefined>();
    sources.set(key, some.set(rowKey, row && held(row)));
    const pause = breathe();
    if (pause) await pause;
  }
  return sources;
}

/** A source of which nothing is known. */
function emptySource({ kind, url }: Source): HeldSource {
  const source = { kind, url };
  const nothing = { position: 0, seals: 0, hashes: new LayeredMap<HashRow>(), summary: undefined };
  return { source, record: { failures: 0 }, rank: 0, documents: new HeldDocuments(source), ...nothing };
}
