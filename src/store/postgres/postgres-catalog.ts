import type { Query } from '../../component/query.js';
import type { UnknownState } from '../../core/feed-window.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Changes, ChangesRequest } from '../../registry/changes.js';
import type { CountedField, Counts } from '../../registry/counts.js';
import type { Description } from '../../registry/description.js';
import type { Page, PageRequest } from '../../registry/page.js';
import type { State } from '../../registry/state.js';
import type { Database } from './connection/database.js';
import { orderKeyFrom } from './order-key.js';
import type { PublishedState } from './published-state.js';
import { changesIn } from './reading/changes.js';
import { countsOf, READABLE } from './reading/counting.js';
import { LatestReads } from './reading/latest-reads.js';
import { newestOf } from './reading/newest.js';
import { Pages } from './reading/pages.js';
import { componentsOf, descriptionOf, statementsOf } from './reading/rows.js';

export interface PostgresCatalogParts {
  readonly database: Database;
  readonly published: PublishedState;
  /** Does the database find words in the middle of texts by an index? */
  readonly areWordsIndexed: boolean;
}

/** Answers from the database; in memory there is only where the registry stands. */
export class PostgresCatalog implements Catalog {
  readonly #parts: PostgresCatalogParts;
  readonly #reads: LatestReads;
  readonly #pages: Pages;
  /** What was counted last: pages ask how many match, and then which values they have. */
  #counted: { readonly of: string; readonly counts: Counts<never> } | undefined;

  constructor(parts: PostgresCatalogParts) {
    this.#parts = parts;
    this.#reads = new LatestReads(parts.database, parts.published);
    this.#pages = new Pages({ ...parts, reads: this.#reads });
  }

  async state(): Promise<State> {
    return this.#parts.published.current.state;
  }

  page(query: Query, request: PageRequest = {}): Promise<Page> {
    return this.#pages.page(query, request);
  }

  async statements(uri: string): Promise<readonly Description[]> {
    const { found } = await this.#reads.stamped((session) => statementsOf(session, orderKeyFrom(uri)));
    const descriptions = componentsOf(found.rows).flatMap((component) => component.rows.map(descriptionOf));
    // A text that cannot be stored has the key of another one.
    return descriptions.filter(({ metadata }) => metadata.uri === uri);
  }

  readonly readable = READABLE;

  newest(query: Query, count: number): Promise<readonly Description[]> {
    const { areWordsIndexed } = this.#parts;
    return this.#reads.whole((session) => newestOf(session, { query, count, areWordsIndexed }));
  }

  counts<F extends CountedField>(query: Query, fields: readonly F[], most?: number): Promise<Counts<F>> {
    const { areWordsIndexed } = this.#parts;
    return this.#reads.whole(async (session, { head: { version, mark } }) => {
      const of = JSON.stringify([version, mark, query]);
      const known = this.#counted?.of === of ? this.#counted.counts : undefined;
      const counts = await countsOf(session, { query, fields, areWordsIndexed, known, most });
      this.#counted = { of, counts };
      return counts;
    });
  }

  async network(): Promise<NetworkLists> {
    return this.#parts.published.current.network;
  }

  changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    return this.#reads.whole((session, { state }) => changesIn(session, state, request));
  }

  watch(listener: (state: State) => void): () => void {
    return this.#parts.published.watch(listener);
  }
}
