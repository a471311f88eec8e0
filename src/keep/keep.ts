import type { NamedNode, Quad } from '@rdfjs/types';
import type { StoredRow } from './stored-row.js';

/**
 * Where a service keeps what must survive: rows (text under a key, in named tables) and quads (in named graphs). A keep stores
 * and decides nothing. Three adapters keep this contract: `level`, `postgres` and `memory`.
 *
 * - A commit is atomic, and on disk before its promise resolves, one of rows alone included. What fails leaves nothing behind; but
 *   one that a disk took and could not flush (StorageFailure) may be found, whole, after the process was killed in that trouble.
 * - Commits happen one after the other, whoever makes them, and each leads from one head to the next.
 * - Readers see a commit whole or not at all. Reading goes on while something is written.
 * - What cannot be stored as it is, is refused with a TypeError before anything is written: text with half a character or with
 *   U+0000, an empty table name or key, and terms other than IRIs, blank nodes, literals and the default graph.
 * - Text and terms are compared exactly: an IRI is never a literal of the same characters.
 *
 * Errors are those of `faults.ts`. After `close` every member rejects.
 */
export interface Keep {
  /**
   * Changes what is stored. When it has its turn, `decide` is called with what has been written since the head `since`, by
   * whichever keep of the same service, and says what is to be written. Nothing else is committed meanwhile, so long work belongs
   * before. `decide` may be called several times for one commit: what it returned last counts. When it returns `undefined`,
   * nothing is written and no head moves; when it throws, neither, and the commit rejects with that error.
   * @param lease refused with `LeaseLost` when it was given back, or somebody else has taken it, before the commit has its turn
   * @returns the head that the commit led to, or the one that it found
   * @throws HeadUnknown when `since` is no head of this history; StorageFailure, StoreUnavailable, OutcomeUnknown, LeaseLost
   */
  commit(since: Head, decide: Decide, lease?: Lease): Promise<Head>;

  /**
   * Runs a task that reads and then decides, while nothing is committed by anybody: for a service that holds nothing in memory.
   * It must be short, and may be run again from its beginning. Resolves with its `result` when what it decided is on disk.
   * @throws what the task throws; StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  exclusively<T>(task: (now: Reads) => Promise<Writes & { readonly result: T }>): Promise<T>;

  /**
   * All rows of the tables, in the order of the tables and, within one, of the UTF-8 bytes of the keys; only those whose key
   * begins with `prefix` where that is given. All of it is one state: the head that each batch names. Every table has at least one batch,
   * which may be empty; one has some thousand rows at most. @throws KeepDamaged for a row whose seal does not fit
   */
  rows(tables: readonly string[], prefix?: string): AsyncIterable<RowBatch>;

  /** The rows of these keys, by key; those that do not exist are absent. @throws KeepDamaged */
  get(table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>>;

  /**
   * The quads of these graphs, graph after graph and subject after subject, in batches, in an order that depends on nothing but the
   * quads. All of it is one state. There is no way to read all graphs: services have data in the same place that is nobody else's business.
   * @throws KeepDamaged
   */
  quads(graphs: readonly NamedNode[]): AsyncIterable<readonly Quad[]>;

  /**
   * What has been committed since a head, by whichever keep of the same service, this one included.
   * @throws HeadUnknown when `since` is no head of this history; StoreUnavailable, KeepDamaged
   */
  tail(since: Head): Promise<Since>;

  /**
   * Takes a name for some work that only one node of the service may do at a time; `undefined` while somebody else has it. It is
   * renewed until it is released. When a node is not heard of for the lifetime (15 s), others may take it; until one does, that
   * node may still commit with it. With an epoch all leases end: the first commits of that work may be lost. @throws StoreUnavailable
   */
  lease(name: string): Promise<Lease | undefined>;

  /** Why nothing can be written at present; `undefined` while everything can. */
  readonly trouble: Trouble | undefined;

  /** Waits for commits under way, then lets go of everything. May be called more than once. */
  close(): Promise<void>;
}

/** A state of what one service has stored. Two heads are the same state when their marks are equal. */
export interface Head {
  /**
   * 1 to 16 small letters and digits that name the life of the data: another one begins when it is made, repaired, or found to
   * have lost commits.
   */
  readonly epoch: string;
  /** One more with each commit. */
  readonly version: number;
  /** Drawn at random: two histories come to the same versions, and not to the same marks. */
  readonly mark: string;
}

/** A text under a key. */
export interface Row {
  /** Small letters, digits and hyphens. */
  readonly table: string;
  /** Of 1,200 bytes at most in UTF-8: what is longer is hashed by the service. */
  readonly key: string;
  /** The row is deleted when there is none. */
  readonly value: string | undefined;
}

/**
 * What a commit writes. Of one key, and of one quad, the last mention counts, and putting counts after removing. Quads may be made while
 * they are gone through, which may happen more than once: a hundred thousand need not be in memory together.
 */
export interface Writes {
  readonly rows?: readonly Row[];
  readonly quads?: { readonly remove?: Iterable<Quad>; readonly put?: Iterable<Quad> };
}

export interface Since {
  /** The head that there is now: a commit builds upon it. */
  readonly head: Head;
  /** What has been written since the given head, each row once, as it is now. Mostly that is nothing. */
  readonly rows: readonly Row[];
}

export type Decide = (since: Since) => Writes | undefined | Promise<Writes | undefined>;

export type Reads = Pick<Keep, 'rows' | 'get' | 'quads'>;

export interface RowBatch {
  readonly head: Head;
  readonly table: string;
  readonly rows: readonly StoredRow[];
}

export interface Lease {
  readonly name: string;
  /** Drawn at random each time the name is taken: what a commit compares, so that a node that was paused cannot write late. */
  readonly fence: string;
  /** Gives it back. Never rejects: a lease that could not be given back ends by itself. */
  release(): Promise<void>;
}

export interface Trouble {
  /** `full`: the disk is full or fails: reads go on, writes fail, until one succeeds; `unreachable`: the database cannot be asked. */
  readonly kind: 'full' | 'unreachable';
  /** Ms since the epoch. */
  readonly since: number;
  readonly error: string;
}

/** What stores something: each has what it stores apart from the others. */
export const SERVICES = ['registry', 'connection'] as const;

/**
 * One directory, database or memory, opened by one node, which opens it once and closes it last. Each service has a keep of its own
 * in it, under its own name, with its own tables, graphs, leases and head; keeps of the same name share all of these.
 */
export interface Place {
  /** May several nodes have the same data open? */
  readonly isShared: boolean;
  /** Do others look for quads in it? Elsewhere those that can be made from rows are not worth their place. */
  readonly isQuadstore: boolean;
  /** @throws KeepDamaged, StoreUnavailable */
  keep(service: (typeof SERVICES)[number]): Promise<Keep>;
  /** Closes its keeps, too. */
  close(): Promise<void>;
}
