import type { Metadata } from '../component/metadata.js';
import type { Naming } from '../component/naming.js';
import type { Pin } from '../component/pin.js';
import type { Query } from '../component/query.js';
import type { Source } from '../component/source.js';
import type { Cursor } from '../core/cursor.js';
import type { UnknownState } from '../core/feed-window.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { SourceSummary } from '../core/source-digests.js';
import type { Description } from './description.js';
import type { PostedField } from './postings.js';
import type { Removal } from './removal.js';

/**
 * The reading side of a registry. Of the descriptions of one component exactly one is served, by precedence;
 * the others are shadowed. What a method answers belongs to one state, and a change that `Registry` has
 * acknowledged is in every answer that is asked for afterwards. Any number of calls may run at once. What
 * is answered is in memory: nothing that is stored has to be read.
 */
export interface Catalog {
  /**
   * The current state. Cheap: asked for by every conditional request. Where nodes share the data, a reader may know a later
   * state from another one, which has shown it already: what is written is taken in before he is answered.
   */
  state(known?: Pick<Cursor, 'epoch' | 'position'>): Promise<State>;

  /** The served descriptions that match a query, in the order of their uris, or a part of them. */
  page(query: Query, request?: PageRequest): Promise<Page>;

  /** Every description of one component, the served one first, then by precedence; none when it is unknown. */
  statements(uri: string): Promise<readonly Description[]>;

  /** What a document of a source says, whether or not it is served, in the order of uris. */
  said(source: Source, document: string): Promise<readonly Description[]>;

  /** By whom a component is described no longer, as far as that is remembered: the latest hundred, in the order of positions. */
  removals(uri: string): Promise<readonly Removal[]>;

  /**
   * How many served components match a query, and how many of these have each value, unless more than `most` match. Of
   * the same state as a page that is asked for in the same turn, but where either waits for a start to end.
   */
  counts(query: Query, most?: number): Promise<Counts>;

  /** How many components are served as each source describes them, by its `sourceKey`. */
  served(): Promise<ReadonlyMap<string, number>>;

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

/** Where a registry stands. The same object is returned until something changes. */
export interface State {
  /** Moves with every change of the stored descriptions, served or shadowed. */
  readonly revision: Revision;
  /** Moves with every change of the network lists. */
  readonly networkRevision: Revision;
  /** The addresses that the node passes on, as `Registry.setNetwork` was told. */
  readonly network: NetworkLists;
  /** How answers name things: as the node that was started last on the same data. */
  readonly naming: Naming;
  /** How many components are served. */
  readonly components: number;
  /** What those who follow changes need to know. */
  readonly feed: Feed;
}

/** A point in the history of what the node serves; it moves on real change only and survives restarts. */
export interface Revision {
  /** Made when the data directory was made; a wiped directory starts a new one. */
  readonly epoch: string;
  readonly number: number;
  /** When this point was reached, ms since the Unix epoch; never earlier than the point before. */
  readonly since: number;
}

/** What a state has to say to those who follow changes (design, section 11). Never changed. */
export interface Feed {
  /**
   * The position of the latest change; 0 when there has been none. Positions are integers, given in the order of
   * commits: each statement (a document on a component) has that of its latest change, and no two have the same. A
   * change of the network lists, or of the ranks of sources, has a position, too: so no two states have the same.
   */
  readonly position: number;
  /** Hash of everything that is stored and of the revision of the network lists: 32 hexadecimal digits. */
  readonly digest: string;
  /** Changes up to this position may have been forgotten: a reader that stood before it reads everything again. */
  readonly floor: number;
  /** Removals that are remembered. */
  readonly tombstones: number;
  /** The sources that describe something, in no particular order. */
  readonly sources: readonly SourceSummary[];
}

/** Which part of a listing is wanted. */
export interface PageRequest {
  /** At most so many components; all of them when absent. */
  readonly limit?: number | undefined;
  /** Only components whose uri is greater, by UTF-16 code units. */
  readonly after?: string | undefined;
  /** Also the descriptions that are not served, each behind the served one of its component, by precedence. */
  readonly shadowed?: boolean | undefined;
}

/** A snapshot of a part of a listing, in the order of uris: later changes do not touch it. */
export interface Page {
  readonly state: State;
  /** The `after` of the next page, when there is one; this one may be short, where only a part is looked through at a time. */
  readonly next?: string | undefined;
  /** The descriptions, in lists of a few hundred at most; may be called more than once. */
  descriptions(): AsyncIterable<readonly Description[]>;
  /** The page as a JSON array, where it does not show shadowed descriptions. */
  readonly json?: ReadyJson | undefined;
}

/** A JSON array of listing objects with a line break behind it, in UTF-8, that need not be written any more. */
export interface ReadyJson {
  /** Bytes of all of it. */
  readonly bytes: number;
  /** All of it, which must not be changed: the next who asks the same may get the same object. */
  whole(): Uint8Array;
  /**
   * All of it in pieces, which must not be changed, made as they are asked for. Of the whole listing, pieces that two states
   * have in common are the same objects, so that work done on them can be kept.
   */
  pieces(): Iterable<Uint8Array>;
}

/** All descriptions of a page in one list: for pages that are known to be short. */
export async function descriptionsOf(page: Page): Promise<Description[]> {
  const all: Description[] = [];
  for await (const some of page.descriptions()) all.push(...some);
  return all;
}

/** How many components there are, and how many have each value. */
export interface Counts {
  readonly state: State;
  readonly total: number;
  readonly by: Readonly<Record<PostedField, ReadonlyMap<string, number>>>;
}

/**
 * The latest that happened to one statement: it is removed, unless there are metadata. `at` is never earlier than that of a
 * lower position.
 */
export interface StatementChange extends Removal {
  /** Since when the document says it, ms since the Unix epoch, where only the pin changed `at` that time. */
  readonly since?: number | undefined;
  /** See `Precedence.rankWithin`; absent when it is no longer described. */
  readonly rank?: number | undefined;
  /** What the document says of the component; absent when it no longer describes it. */
  readonly metadata?: Metadata | undefined;
  /** Had the document described it before? */
  readonly isUpdate?: boolean;
  /** Only when the module's bytes have changed under its version: see `Pins`. Not what the document says. */
  readonly pin?: Pin | undefined;
}

/** Which changes are wanted. */
export interface ChangesRequest {
  /**
   * What has changed since this state. Without it: everything that is stored now, and no removals, as if it had been
   * added one by one in the order of positions.
   */
  readonly since?: Cursor | undefined;
  /** Only what has a greater position. */
  readonly after?: number | undefined;
  /** Without `since`: also the removals that are remembered, at their positions. */
  readonly removals?: boolean | undefined;
  /** At most so many. */
  readonly limit: number;
}

/**
 * Changes in the order of positions, as of one state. While there may be more, `next` is the position up to which these are
 * all; there may be fewer than `limit`, even none. Whoever asks on to the end misses nothing, because what changes meanwhile
 * gets a position behind all others.
 */
export interface Changes {
  readonly state: State;
  readonly changes: readonly StatementChange[];
  readonly next?: number;
  /** The sources whose summary has changed since, if they still describe something; all of them without `since`. */
  readonly sources: readonly SourceSummary[];
}
