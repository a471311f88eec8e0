import type { Query } from '../component/query.js';
import type { UnknownState } from '../core/feed-window.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { Changes, ChangesRequest } from './changes.js';
import type { CountedField, Counts } from './counts.js';
import type { Description } from './description.js';
import type { Page, PageRequest } from './page.js';
import type { State } from './state.js';

/**
 * The reading side of a registry. Of the descriptions of one component exactly one is served, by precedence;
 * the others are shadowed. What a method answers belongs to one state, and a change that `Registry` has
 * acknowledged is in every answer that is asked for afterwards. Any number of calls may run at once. What
 * is answered is in memory: nothing that is stored has to be read.
 */
export interface Catalog {
  /** The current state. Cheap: asked for by every conditional request. */
  state(): Promise<State>;

  /** The served descriptions that match a query, in the order of their uris, or a part of them. */
  page(query: Query, request?: PageRequest): Promise<Page>;

  /** Every description of one component, the served one first, then by precedence; none when it is unknown. */
  statements(uri: string): Promise<readonly Description[]>;

  /** How many served components match a query, and how many of these have each value of some fields. */
  counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>>;

  /** The addresses that the node passes on, as `Registry.setNetwork` was told. */
  network(): Promise<NetworkLists>;

  /**
   * What has changed since a state, or all that is stored, shadowed descriptions included. A state that was handed out
   * stays known over restarts, for 100,000 changes at least and 180 days at most.
   */
  changes(request: ChangesRequest): Promise<Changes | UnknownState>;

  /**
   * Calls `listener` with each new state, in order, in the same turn in which readers begin to see it. A
   * listener must not throw. The function that is returned ends it.
   */
  watch(listener: (state: State) => void): () => void;
}
