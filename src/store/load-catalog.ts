import type { Facets } from '../component/listing-text.js';
import type { Precedence } from '../component/precedence.js';
import { breather } from '../lib/slices.js';
import { BLOCK_BYTES, settle, writeBlocks } from './block-writer.js';
import { MemoryCatalog } from './catalog.js';
import { comparing } from './catalog-change.js';
import type { Block, Entry } from './entry.js';
import type { HeldDocument } from './held-source.js';
import { Listing } from './listing.js';
import { Losers } from './losers.js';
import type { QuadStore } from './quad-store.js';
import type { SharedTexts } from './shared-texts.js';
import { entryOfRow, readStatementKey } from './statement-row.js';

/** Reads the catalog from the rows of statements, which come in the order of their uris. */
export async function loadCatalog(
  store: QuadStore,
  documents: ReadonlyMap<number, HeldDocument>,
  precedence: Precedence,
  versions: SharedTexts,
): Promise<{ catalog: MemoryCatalog; statements: number }> {
  const loading = new Loading(precedence);
  const breathe = breather();
  let statements = 0;
  for await (const page of store.bytes('statement')) {
    for (const [key, bytes] of page) {
      const { uri, graph } = readStatementKey(key);
      const document = documents.get(graph);
      if (!document) continue;
      const said = entryOfRow(bytes, document.origin, versions);
      document.entries.push(said.entry);
      loading.add(uri, said);
      statements += 1;
    }
    await breathe();
  }
  return { catalog: await loading.end(), statements };
}

interface Said {
  readonly entry: Entry;
  readonly facets: Facets;
}

/** Puts the catalog together, component by component. */
class Loading {
  readonly #catalog: MemoryCatalog;
  readonly #compare: (one: Entry, other: Entry) => number;
  readonly #blocks: Block[] = [];
  readonly #losers: Entry[] = [];
  /** LevelDB orders by UTF-8, the listing by UTF-16: a few uris with rare characters come too late. */
  readonly #late: Entry[] = [];
  #lastUri = '';
  #pending: Entry[] = [];
  #bytes = 0;
  #current: { uri: string; said: Said[] } = { uri: '', said: [] };

  constructor(precedence: Precedence) {
    this.#catalog = new MemoryCatalog(precedence);
    this.#compare = comparing(precedence);
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
    this.#flush();
    this.#catalog.load(new Listing(this.#blocks), new Losers(this.#losers));
    const late = this.#late.map((entry) => ({ entry, metadata: entry.metadata }));
    if (late.length > 0) this.#catalog.apply(await this.#catalog.prepare([], late));
    return this.#catalog;
  }

  #take(): void {
    const { uri, said } = this.#current;
    if (uri < this.#lastUri) {
      for (const { entry } of said) this.#late.push(entry);
      return;
    }
    this.#lastUri = uri;
    if (said.length > 1) said.sort((one, other) => this.#compare(one.entry, other.entry));
    const [winner, ...losers] = said;
    if (!winner) return;
    for (const { entry } of losers) this.#losers.push(entry);
    this.#catalog.post(winner.entry, winner.facets);
    this.#pending.push(winner.entry);
    this.#bytes += winner.entry.length + 1;
    if (this.#bytes >= BLOCK_BYTES) this.#flush();
  }

  #flush(): void {
    for (const block of writeBlocks(this.#pending)) {
      settle(block);
      block.place = this.#blocks.length;
      this.#blocks.push(block);
    }
    this.#pending = [];
    this.#bytes = 0;
  }
}
