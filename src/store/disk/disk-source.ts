import { type Source, sourceKey } from '../../component/source.js';
import { type Precedence, type Statement, sameAuthority } from '../../core/precedence.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { SourceRecord, StoredSource } from '../../registry/source-record.js';
import type { Entry } from './listing/entry.js';
import type { Origin } from './listing/origin.js';

/** What one document of a source says, and what is remembered of it. */
export interface DiskDocument {
  /** Shared by its entries; replaced with them when its authority changes. */
  origin: Origin;
  /** Stands for the document's graph in the keys of statements. */
  readonly number: number;
  record: DocumentRecord;
  /** In no particular order; each knows its place. Changed by `addTo` and `removeFrom` alone. */
  readonly entries: Entry[];
}

/** A source in memory, as the disk has it. */
export interface DiskSource {
  readonly source: Source;
  record: SourceRecord;
  /** By URL. */
  readonly documents: Map<string, DiskDocument>;
  /** See `storedSource`; made anew after a change. */
  view?: StoredSource | undefined;
}

/** Everything that is held, by source. */
export class Sources {
  readonly #precedence: Precedence;
  readonly #sources = new Map<string, DiskSource>();
  #lastNumber = 0;

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  get(source: Source): DiskSource | undefined {
    return this.#sources.get(sourceKey(source));
  }

  /** The source; one that holds nothing is made when there is none. */
  of(source: Source): DiskSource {
    const held = this.get(source) ?? { source, record: { failures: 0 }, documents: new Map() };
    this.#sources.set(sourceKey(source), held);
    return held;
  }

  /** The document of that URL, or an empty one that is not held yet. */
  document(source: Source, url: string): DiskDocument {
    const held = this.get(source)?.documents.get(url);
    if (held) return held;
    this.#lastNumber += 1;
    return this.created(source, url, this.#lastNumber);
  }

  /** An empty document that is not held yet, with this number. */
  created(source: Source, document: string, number: number): DiskDocument {
    return { origin: this.#originOf({ source, document }), number, record: {}, entries: [] };
  }

  /** The origin of what a document says once this is remembered of it: the same one while its authority is the same. */
  originOf({ origin }: DiskDocument, { authority }: Pick<DocumentRecord, 'authority'>): Origin {
    if (sameAuthority(origin.authority, authority)) return origin;
    return this.#originOf({ source: origin.source, document: origin.document, authority });
  }

  #originOf(statement: Statement): Origin {
    const rankWithin = this.#precedence.rankWithin(statement);
    return { ...statement, standing: this.#precedence.standing(statement), rankWithin };
  }

  /** Holds a document from now on; does nothing when it does already. */
  hold(document: DiskDocument): void {
    const held = this.of(document.origin.source);
    held.documents.set(document.origin.document, document);
    held.view = undefined;
    this.#lastNumber = Math.max(this.#lastNumber, document.number);
  }

  /** Remembers something else of a source. */
  remember(source: Source, record: SourceRecord): void {
    Object.assign(this.of(source), { record, view: undefined });
  }

  /** Holds a document no longer. */
  drop(source: Source, document: string): void {
    const held = this.of(source);
    held.documents.delete(document);
    held.view = undefined;
  }

  /** By number. */
  documents(): Map<number, DiskDocument> {
    const all = this.all().flatMap(({ documents }) => [...documents.values()]);
    return new Map(all.map((document) => [document.number, document]));
  }

  /** Entries come in the place of others of the same documents. */
  replace(pairs: readonly { readonly old: Entry; readonly entry: Entry }[]): void {
    for (const { old, entry } of pairs) {
      const document = this.get(entry.origin.source)?.documents.get(entry.origin.document);
      if (!document) continue;
      removeFrom(document, old);
      addTo(document, entry);
    }
  }

  delete(source: Source): void {
    this.#sources.delete(sourceKey(source));
  }

  all(): DiskSource[] {
    return [...this.#sources.values()];
  }
}

/**
 * A view of it for those who only read: what is remembered, and how much there is. The same one until something changes,
 * because everybody may ask for it, and there may be thousands of documents.
 */
export function storedSource(held: DiskSource): StoredSource {
  held.view ??= viewOf(held);
  return held.view;
}

function viewOf({ source, record, documents }: DiskSource): StoredSource {
  const described = new Map<string, DocumentRecord & { readonly components: number }>();
  for (const [url, document] of documents) {
    described.set(url, { ...document.record, components: document.entries.length });
  }
  return { source, record, documents: described };
}

export function addTo({ entries }: DiskDocument, entry: Entry): void {
  entry.held = entries.length;
  entries.push(entry);
}

/** The order of a document's entries means nothing: the last one takes the place of one that goes. */
export function removeFrom({ entries }: DiskDocument, entry: Entry): void {
  const at = entry.held;
  if (entries[at] !== entry) return;
  const last = entries.pop();
  if (!last || last === entry) return;
  entries[at] = last;
  last.held = at;
}
