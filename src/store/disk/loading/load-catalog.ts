import type { Precedence } from '../component/precedence.js';
import { breather } from '../lib/slices.js';
import { BlockBuilder } from './block-builder.js';
import { MemoryCatalog } from './catalog.js';
import { comparing } from './catalog-change.js';
import { type Entry, lonelyEntry } from './entry.js';
import type { HeldDocument } from './held-source.js';
import { Listing } from './listing.js';
import { Losers } from './losers.js';
import type { QuadStore } from './quad-store.js';
import type { SharedTexts } from './shared-texts.js';
import { readStatementKey, readStatementRow, type StatementRow } from './statement-row.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

/** Reads the catalog from the rows of statements, which come in the order of their uris. */
export async function loadCatalog(
  store: QuadStore,
  documents: ReadonlyMap<number, HeldDocument>,
  precedence: Precedence,
  versions: SharedTexts,
): Promise<{ catalog: MemoryCatalog; statements: number }> {
  const loading = new Loading(precedence, versions);
  const breathe = breather(SLICE_MS);
  let statements = 0;
  for await (const page of store.texts('statement')) {
    for (const [key, row] of page) {
      const { uri, graph } = readStatementKey(key);
      const document = documents.get(graph);
      if (!document) continue;
      loading.add(uri, { document, row: readStatementRow(row) });
      statements += 1;
    }
    await breathe();
  }
  return { catalog: await loading.end(), statements };
}

interface Said {
  readonly document: HeldDocument;
  readonly row: StatementRow;
}

/** Puts the catalog together, component by component. */
class Loading {
  readonly #catalog: MemoryCatalog;
  readonly #compare: (one: HeldDocument, other: HeldDocument) => number;
  readonly #versions: SharedTexts;
  readonly #builder = new BlockBuilder();
  readonly #losers: Entry[] = [];
  /** LevelDB orders by UTF-8, the listing by UTF-16: a few uris with rare characters come too late. */
  readonly #late: Entry[] = [];
  #lastUri = '';
  #current: { uri: string; said: Said[] } = { uri: '', said: [] };

  constructor(precedence: Precedence, versions: SharedTexts) {
    this.#catalog = new MemoryCatalog(precedence);
    this.#compare = comparing(precedence);
    this.#versions = versions;
  }

  add(uri: string, said: Said): void {
    if (uri !== this.#current.uri) {
      this.#take();
      this.#current = { uri, said: [] };
    }
    this.#current.said.push(said);
  }

  async end(): Promise<MemoryCatalog> {
    this.#take();
    this.#catalog.load(new Listing(this.#builder.end()), new Losers(this.#losers));
    const late = this.#late.map((entry) => ({ entry, metadata: entry.metadata }));
    if (late.length > 0) this.#catalog.apply(await this.#catalog.prepare([], late));
    return this.#catalog;
  }

  #take(): void {
    const { uri, said } = this.#current;
    if (uri < this.#lastUri) {
      for (const one of said) this.#late.push(this.#apart(one));
      return;
    }
    this.#lastUri = uri;
    if (said.length > 1) said.sort((one, other) => this.#compare(one.document, other.document));
    const [winner, ...losers] = said;
    if (winner) this.#serve(winner);
    for (const one of losers) this.#losers.push(this.#apart(one));
  }

  #serve({ document, row }: Said): void {
    const entry = this.#builder.append(document.origin, row.text, this.#facts(row));
    document.entries.push(entry);
    this.#catalog.post(entry, row.facets);
  }

  #apart({ document, row }: Said): Entry {
    const entry = lonelyEntry(document.origin, row.text, this.#facts(row));
    document.entries.push(entry);
    return entry;
  }

  #facts({ plain, version, latest }: StatementRow) {
    return { plain, version: this.#versions.share(version), latest };
  }
}
