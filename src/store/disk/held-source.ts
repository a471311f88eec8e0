import { type Source, type SourceTrust, sourceKey } from '../../component/precedence.js';
import type { DocumentRecord, SourceRecord, StoredSource } from '../../registry/source-record.js';
import type { Entry, Origin } from './listing/entry.js';

/** What one document of a source says, and what is remembered of it. */
export interface HeldDocument {
  /** Shared by its entries; replaced with them when its rank changes. */
  origin: Origin;
  /** Stands for the document's graph in the keys of statements. */
  readonly number: number;
  record: DocumentRecord;
  /** In no particular order. */
  entries: Entry[];
}

/** Has the document the rank that is remembered of it from now on? A rank of 0 is not written. */
export function hasRank({ origin }: HeldDocument, { rank = 0 }: Pick<DocumentRecord, 'rank'>): boolean {
  return (origin.rank ?? 0) === rank;
}

/**
 * What the statements of a document stand under once this is remembered of it: their origin, which they share and which
 * therefore changes only with the rank, and what the document belongs to.
 */
export function namedBy(
  document: HeldDocument,
  record: Pick<DocumentRecord, 'rank' | 'of'>,
): { readonly origin: Origin; readonly of: string } {
  const { rank, of = '' } = record;
  return { origin: hasRank(document, record) ? document.origin : { ...document.origin, rank }, of };
}

/** A source in memory, as the disk has it. */
export interface HeldSource {
  readonly source: Source;
  record: SourceRecord;
  /** By URL. */
  readonly documents: Map<string, HeldDocument>;
}

/** Everything that is held, by source. */
export class Sources {
  readonly #trustOf: (source: Source, document: string) => SourceTrust;
  readonly #sources = new Map<string, HeldSource>();
  #lastNumber = 0;

  constructor(trustOf: (source: Source, document: string) => SourceTrust) {
    this.#trustOf = trustOf;
  }

  get(source: Source): HeldSource | undefined {
    return this.#sources.get(sourceKey(source));
  }

  /** The source; one that holds nothing is made when there is none. */
  of(source: Source): HeldSource {
    const held = this.get(source) ?? { source, record: { failures: 0 }, documents: new Map() };
    this.#sources.set(sourceKey(source), held);
    return held;
  }

  /** The document of that URL, or an empty one that is not held yet. */
  document(source: Source, url: string): HeldDocument {
    const held = this.get(source)?.documents.get(url);
    if (held) return held;
    this.#lastNumber += 1;
    return this.created(source, url, this.#lastNumber);
  }

  /** An empty document that is not held yet, with this number. */
  created(source: Source, document: string, number: number): HeldDocument {
    const origin = { source, document, trust: this.#trustOf(source, document) };
    return { origin, number, record: {}, entries: [] };
  }

  /** Holds a document from now on; does nothing when it does already. */
  hold(document: HeldDocument): void {
    this.of(document.origin.source).documents.set(document.origin.document, document);
    this.#lastNumber = Math.max(this.#lastNumber, document.number);
  }

  /** By number. */
  documents(): Map<number, HeldDocument> {
    const all = this.all().flatMap(({ documents }) => [...documents.values()]);
    return new Map(all.map((document) => [document.number, document]));
  }

  /** Entries come in the place of others of the same documents. */
  replace(pairs: readonly { readonly old: Entry; readonly entry: Entry }[]): void {
    const gone = new Map<HeldDocument, Entry[]>();
    for (const { old, entry } of pairs) {
      const document = this.get(entry.source)?.documents.get(entry.document);
      if (!document) continue;
      const others = gone.get(document) ?? [];
      others.push(old);
      gone.set(document, others);
      document.entries.push(entry);
    }
    for (const [document, entries] of gone) removeFrom(document, entries);
  }

  delete(source: Source): void {
    this.#sources.delete(sourceKey(source));
  }

  all(): HeldSource[] {
    return [...this.#sources.values()];
  }
}

/** A view of it for those who only read: what is remembered, and how much there is. */
export function storedSource({ source, record, documents }: HeldSource): StoredSource {
  const described = [...documents].map(([url, document]) => {
    return [url, { ...document.record, components: document.entries.length }] as const;
  });
  return { source, record, documents: new Map(described) };
}

/** Entries that are looked for one by one: of a few, that takes a fraction of making a list without them. */
const FEW = 32;

/** The order of a document's entries means nothing: the last one takes the place of one that goes. */
export function removeFrom(document: HeldDocument, gone: readonly Entry[]): void {
  const { entries } = document;
  if (gone.length > FEW) {
    const left = new Set(gone);
    document.entries = entries.filter((entry) => !left.has(entry));
    return;
  }
  for (const entry of gone) {
    const at = entries.indexOf(entry);
    const last = at < 0 ? undefined : entries.pop();
    if (last && last !== entry) entries[at] = last;
  }
}
