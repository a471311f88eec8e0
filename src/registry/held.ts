import type { Source } from '../component/source.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { Precedence } from '../core/precedence.js';
import { type SourceHashes, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { Breather } from '../lib/pace.js';
import type { Contents } from './contents.js';
import { isLongPart, partRowKey, sourceRowKey } from './row-keys.js';
import type { DocumentRow, HashRow, SourceRow } from './rows.js';

/** How many components it describes is no part of its row: it is counted in the catalog, and noted here. */
type HeldDocument = DocumentRecord & { components: number };

/** A source as it is held: another object once something of it has changed. */
export interface HeldSource extends SourceRow, StoredSource {
  /** Changed in place. */
  readonly documents: Map<string, HeldDocument>;
  /** By the keys of their rows: one that is deleted tells nothing else. */
  readonly hashes: ReadonlyMap<string, HashRow>;
  readonly summary: SourceSummary | undefined;
}

/** What is remembered of sources and documents, as the rows of the keep have it. */
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

  document({ source, document }: Pick<DocumentRow, 'source' | 'document'>): HeldDocument | undefined {
    return this.source(source)?.documents.get(document);
  }

  /** Of the sources that describe something. */
  summaries(): SourceSummary[] {
    return this.all().flatMap(({ summary }) => summary ?? []);
  }

  /** What is held with these rows, but for those of documents. Gives way to other work; nothing may be remembered meanwhile. */
  async with(changes: Contents['sources'], breathe: Breather): Promise<Held> {
    if (changes.size === 0) return this;
    const all = new Map(this.#sources);
    for (const [key, { row, hashes: someHashes }] of changes) {
      const before = all.get(key) ?? (row && emptySource(row.source));
      if (row === null) all.delete(key);
      if (!before || row === null) continue;
      const held = { ...before, ...row };
      const hashes = new Map(held.hashes);
      for (const [of, hash] of someHashes) hash ? hashes.set(of, hash) : hashes.delete(of);
      const { source, rank, position } = held;
      const summary =
        someHashes.size > 0
          ? sourceSummary(source, byOf(hashes), held)
          : held.summary && { ...held.summary, rank, position };
      all.set(key, { ...held, hashes, summary });
      await breathe();
    }
    return new Held(this.precedence, all);
  }

  /** Takes in rows of documents, once their sources are held as these rows have them. Gives way to other work. */
  async takeDocuments(changes: Contents['sources'], breathe: Breather): Promise<void> {
    for (const [sourceKey, { documents: rows }] of changes) {
      const { source, documents } = this.#sources.get(sourceKey) ?? {};
      if (!source || !documents) continue;
      const beginning = partRowKey(source, '').length;
      /** Keys that do not tell the URLs of their documents. */
      const long = new Set<string>();
      for (const [key, row] of rows) {
        const { document = key.slice(beginning), record } = row ?? {};
        const { components = 0 } = documents.get(document) ?? {};
        if (record) documents.set(document, { ...record, components });
        else if (!documents.delete(document)) long.add(key);
        const pause = breathe();
        if (pause) await pause;
      }
      for (const url of long.size > 0 ? documents.keys() : []) {
        if (isLongPart(url) && long.has(partRowKey(source, url))) documents.delete(url);
        const pause = breathe();
        if (pause) await pause;
      }
    }
  }

  /** Remembers something of a source that could not be stored; while nothing is written. */
  remember(source: Source, record: (before: SourceRecord) => SourceRecord): void {
    const held = this.current(source);
    this.#sources.set(sourceRowKey(source), { ...held, record: record(held.record) });
  }
}

/** By what documents belong to: see `DocumentRecord.of`. */
export function byOf(hashes: HeldSource['hashes']): SourceHashes {
  return new Map([...hashes.values()].map(({ of, hash }) => [of, hash]));
}

/** A source of which nothing is known. */
function emptySource({ kind, url }: Source): HeldSource {
  const source = { kind, url };
  const nothing = { position: 0, seals: 0, hashes: new Map(), summary: undefined };
  return { source, record: { failures: 0 }, rank: 0, documents: new Map(), ...nothing };
}
