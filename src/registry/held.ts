import { isDeepStrictEqual } from 'node:util';
import type { Source } from '../component/source.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { Precedence } from '../core/precedence.js';
import { type SourceHashes, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { Breather } from '../lib/pace.js';
import { LayeredMap } from './layered-map.js';
import type { RowContents, SourceContents } from './row-contents.js';
import { partRowKey, sourceRowKey } from './row-keys.js';
import type { DocumentRow, SourceRow } from './rows.js';

/** How many components it describes is no part of its row: it is counted in the catalog, and noted here. */
type HeldDocument = DocumentRecord & { components: number };

/** A source as it is held. Never changed, but for the counts of what its documents describe. */
export interface HeldSource extends SourceRow, StoredSource {
  readonly documents: LayeredMap<HeldDocument>;
  readonly hashes: SourceHashes;
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

  /** How many statements there should be. */
  get statements(): number {
    return this.summaries().reduce((sum, { count }) => sum + count, 0);
  }

  /** What is held with these rows. Gives way to other work; nothing may be remembered meanwhile. */
  async with(changes: RowContents['sources'], breathe: Breather): Promise<Held> {
    if (changes.size === 0) return this;
    const all = new Map(this.#sources);
    for (const [key, { row, hashes: someHashes, documents: some }] of changes) {
      const before = all.get(key) ?? (row && emptySource(row.source));
      if (row === null) all.delete(key);
      if (!before || row === null) continue;
      const held = { ...before, ...row, record: withSameLists((row ?? before).record, before.record) };
      const isSame = someHashes.size === 0;
      const hashes = isSame ? held.hashes : hashesWith(held, someHashes);
      const documents = await documentsWith(held, some, breathe);
      const { source, rank, position } = held;
      const summary = isSame
        ? held.summary && { ...held.summary, rank, position }
        : sourceSummary(source, hashes, held);
      all.set(key, { ...held, hashes, documents, summary });
    }
    return new Held(this.precedence, all);
  }

  /** Remembers something of a source that is not stored; while nothing is written. */
  remember(source: Source, record: (before: SourceRecord) => SourceRecord): void {
    const held = this.current(source);
    const after = withSameLists(record(held.record), held.record);
    this.#sources.set(sourceRowKey(source), { ...held, record: after });
  }
}

/** Most polls of a peer find the lists that it had: they stay the same objects, which are not looked through again. */
function withSameLists(record: SourceRecord, { introduced }: SourceRecord): SourceRecord {
  return introduced && isDeepStrictEqual(record.introduced, introduced) ? { ...record, introduced } : record;
}

/** A row that is deleted tells nothing but its key. */
function hashesWith({ source, hashes }: HeldSource, rows: SourceContents['hashes']): SourceHashes {
  const after = new Map([...hashes].filter(([of]) => !rows.has(partRowKey(source, of))));
  for (const row of rows.values()) if (row) after.set(row.of, row.hash);
  return after;
}

/** The documents that a poll began with stay as they are. */
async function documentsWith(
  { source, documents }: HeldSource,
  rows: SourceContents['documents'],
  breathe: Breather,
): Promise<HeldSource['documents']> {
  const edits = new Map<string, HeldDocument | undefined>();
  const beginning = partRowKey(source, '').length;
  /** Keys that do not tell the URLs of their documents. */
  const long = new Set<string>();
  for (const [key, row] of rows) {
    const name = key.slice(beginning);
    if (row) edits.set(row.document, { ...row.record, components: 0 });
    else if (documents.has(name)) edits.set(name, undefined);
    else long.add(key);
  }
  for (const url of long.size > 0 ? documents.keys() : []) {
    if (long.has(partRowKey(source, url))) edits.set(url, undefined);
    await breathe();
  }
  return documents.changed(edits, breathe);
}

/** A source of which nothing is known. */
function emptySource({ kind, url }: Source): HeldSource {
  const source = { kind, url };
  const nothing = { position: 0, seals: 0, hashes: new Map(), summary: undefined };
  const documents = new LayeredMap<HeldDocument>();
  return { source, record: { failures: 0 }, rank: 0, documents, ...nothing };
}
