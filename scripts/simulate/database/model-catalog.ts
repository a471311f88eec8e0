import type { Query } from '../../../src/component/query.js';
import type { UnknownState } from '../../../src/core/feed-window.js';
import type { NetworkLists } from '../../../src/core/network-lists.js';
import type { Catalog } from '../../../src/registry/catalog.js';
import type { Changes, ChangesRequest } from '../../../src/registry/changes.js';
import type { CountedField, Counts } from '../../../src/registry/counts.js';
import type { Description } from '../../../src/registry/description.js';
import type { Page, PageRequest } from '../../../src/registry/page.js';
import type { State } from '../../../src/registry/state.js';
import { MemoryCatalog } from '../../../src/store/memory/memory-catalog.js';
import { only, type Session } from '../../../src/store/postgres/connection/session.js';
import type { PublishedState } from '../../../src/store/postgres/published-state.js';
import type { LatestReads } from '../../../src/store/postgres/reading/latest-reads.js';
import type { LoadOptions } from '../../../src/store/registry-store.js';
import { READ_ALL } from './statements.js';
import type { Tables } from './tables.js';

interface ModelCatalogParts {
  readonly published: PublishedState;
  readonly reads: LatestReads;
  readonly options: LoadOptions;
}

/** Reads as the engine postgres does: which state an answer belongs to is decided there, and what it says by the memory engine. */
export class ModelCatalog implements Catalog {
  readonly #parts: ModelCatalogParts;

  constructor(parts: ModelCatalogParts) {
    this.#parts = parts;
  }

  async state(): Promise<State> {
    return this.#parts.published.current.state;
  }

  page(query: Query, request?: PageRequest): Promise<Page> {
    return this.#read((catalog) => catalog.page(query, request));
  }

  statements(uri: string): Promise<readonly Description[]> {
    return this.#read((catalog) => catalog.statements(uri));
  }

  counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    return this.#read((catalog) => catalog.counts(query, fields));
  }

  async network(): Promise<NetworkLists> {
    return this.#parts.published.current.network;
  }

  changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    return this.#read((catalog) => catalog.changes(request));
  }

  watch(listener: (state: State) => void): () => void {
    return this.#parts.published.watch(listener);
  }

  #read<T>(read: (catalog: MemoryCatalog) => Promise<T>): Promise<T> {
    const { reads, options } = this.#parts;
    return reads.whole(async (session: Session, { state }) => {
      const { data } = only(await session.rows<{ tables: Tables }>(READ_ALL), 'tables').tables;
      return read(new MemoryCatalog(() => ({ ...data, state }), options));
    });
  }
}
