import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/precedence.js';
import type { Query } from '../component/query.js';

/** A component as it is served: the description that won, and where it comes from. */
export interface Entry {
  readonly metadata: Metadata;
  readonly source: Source;
  /** URL of the document that describes it: the named graph in datasets. */
  readonly document: string;
  /** The component's object in a JSON listing, serialised. */
  readonly json: string;
}

export interface Page {
  /** At most so many entries; all of them when absent. */
  readonly limit?: number | undefined;
  /** Only entries whose uri is greater. */
  readonly after?: string | undefined;
}

export interface Selection {
  readonly entries: readonly Entry[];
  /** The `after` of the next page, when there is one. */
  readonly next?: string;
}

/** What the registry serves, in memory. Lists handed out are snapshots: later changes do not touch them. */
export interface Catalog {
  readonly size: number;
  get(uri: string): Entry | undefined;
  /** Matching entries in the order of their uris. */
  select(query: Query, page?: Page): Selection;
  /** Every description of a component: the winner first, then the others in order of precedence. */
  statements(uri: string): readonly Entry[];
  /** Every statement of every source, winners and losers, ordered by uri then precedence. */
  dataset(): Iterable<Entry>;
}
