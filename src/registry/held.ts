import { type Origin, originOf } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import { type Precedence, sameAuthority } from '../core/precedence.js';
import { type SourceHashes, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord, StoredDocument, StoredSource } from '../core/source-record.js';
import type { Breather } from '../lib/pace.js';
import type { Contents } from './contents.js';
import { partRowKey, sourceOfPart, sourceRowKey } from './row-keys.js';
import type { DocumentRow, HashRow, SourceRow } from './rows.js';

/** A document as it is held: what is remembered of it, and the origin of what it says. */
export interface HeldDocument extends DocumentRow {
  readonly origin: Origin;
}

/** A source as it is held. */
export interface HeldSource extends SourceRow {
  /** By the keys of their rows, as the hashes: a row that is gone tells nothing else. */
  readonly documents: ReadonlyMap<string, HeldDocument>;
  readonly hashes: ReadonlyMap<string, HashRow>;
  readonly summary: SourceSummary | undefined;
}

/** What is remembered of sources and documents, as the rows of the keep have it. Never changed but by `remember`. */
export class Held {
  readonly #sources: Map<string, HeldSource>;
  readonly #views = new WeakMap<HeldSource, StoredSource>();

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

  document(source: Source, document: string): HeldDocument | undefined {
    return this.source(source)?.documents.get(partRowKey(source, document));
  }

  /** Of what a document says. */
  originOf({ source, document }: Pick<DocumentRow, 'source' | 'document'>): Origin {
    return this.document(source, document)?.origin ?? originOf({ source, document }, this.precedence);
  }

  /** Of the sources that describe something. */
  summaries(): SourceSummary[] {
    return this.all().flatMap(({ summary }) => summary ?? []);
  }

  /** What is held once these rows are applied; what stays as it is, is the same object. Gives way to other work. */
  async with(
    { sources, hashes, documents }: Pick<Contents, 'sources' | 'hashes' | 'documents'>,
    breathe: Breather,
  ): Promise<Held> {
    const all = new Map(this.#sources);
    const changed = new Map<string, Changing>();
    for (const [key, row] of sources) {
      if (row) changed.set(key, changing({ ...(all.get(key) ?? emptySource(row.source)), ...row }));
      else all.delete(key);
    }
    const ofPart = (rowKey: string) => {
      const key = sourceOfPart(rowKey);
      const known = all.get(key);
      if (known && !changed.has(key)) changed.set(key, changing(known));
      return changed.get(key);
    };
    for (const [key, row] of hashes) put(ofPart(key)?.hashes, key, row);
    for (const [key, row] of documents) {
      put(ofPart(key)?.documents, key, row && this.#documentOf(row));
      await breathe();
    }
    for (const [key, held] of changed)
      all.set(key, { ...held, summary: sourceSummary(held.source, byOf(held.hashes), held) });
    return new Held(this.precedence, all);
  }

  /** The origin is the same object while the authority is the same. */
  #documentOf({ source, document, record }: DocumentRow): HeldDocument {
    const { authority } = record;
    const known = this.document(source, document)?.origin;
    const isSame = known && sameAuthority(known.authority, authority);
    const origin = isSame ? known : originOf({ source, document, authority }, this.precedence);
    return { source: origin.source, document, record, origin };
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
    for (const { document, record, origin } of held.documents.values())
      documents.set(document, { ...record, components: components(origin) });
    const view = { source: held.source, record: held.record, documents };
    this.#views.set(held, view);
    return view;
  }
}

/** By what documents belong to: see `DocumentRecord.of`. */
export function byOf(hashes: HeldSource['hashes']): SourceHashes {
  return new Map([...hashes.values()].map(({ of, hash }) => [of, hash]));
}

type Changing = Omit<HeldSource, 'documents' | 'hashes'> & {
  readonly documents: Map<string, HeldDocument>;
  readonly hashes: Map<string, HashRow>;
};

function changing(held: HeldSource): Changing {
  return { ...held, documents: new Map(held.documents), hashes: new Map(held.hashes) };
}

function put<V>(map: Map<string, V> | undefined, key: string, value: V | undefined): void {
  if (value === undefined) map?.delete(key);
  else map?.set(key, value);
}

/** A source of which nothing is known. */
function emptySource({ kind, url }: Source): HeldSource {
  const nothing = { position: 0, seals: 0, documents: new Map(), hashes: new Map(), summary: undefined };
  return { source: { kind, url }, record: { failures: 0 }, rank: 0, ...nothing };
}
