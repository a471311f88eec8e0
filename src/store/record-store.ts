import type { NamedNode, Quad } from '@rdfjs/types';
import type { Clock } from '../lib/clock.js';
import type { Pace } from '../lib/pace.js';
import type { StorageTrouble, StoreLog } from './registry-store.js';

/** A JSON value under a key, in a named table. */
export interface RecordRow {
  /** Small letters; `meta` is the engine's own. */
  readonly table: string;
  readonly key: string;
  /** Anything that JSON can hold. The row is deleted when there is none. */
  readonly value?: unknown;
}

/** Quads to remove and to add. A quad in both lists is in the store afterwards. */
export interface RecordQuads {
  readonly remove?: readonly Quad[];
  readonly add?: readonly Quad[];
}

/** A change that has been prepared and not written yet. Exactly one of `write` and `discard` is called, once. */
export interface PreparedRecords {
  /**
   * Writes the quads and these rows as one atomic change, and resolves when a crash can no longer undo it. Readers
   * see all of it from then on, and nothing of it before.
   * @throws StorageFailure when nothing of it has been stored; the change can be prepared and written again later
   */
  write(rows?: readonly RecordRow[]): Promise<void>;
  /** Gives the change up. */
  discard(): Promise<void>;
  /**
   * After `write`: resolves when the files hold no value any more that the change has removed. Never rejects; the log
   * says when that was not possible. Absent where deleting is all that an engine can do.
   */
  readonly erase?: (() => Promise<void>) | undefined;
}

/** What it takes that several processes, which hold the records in memory, change the same ones. */
export interface SharedRecords {
  /**
   * Calls `listener` with rows as they are after others have written them, in the order of their changes: within a second,
   * and before a task that runs exclusively. Rows without a value are gone. `areAll`: so are all that are not named, because
   * the database has lost changes, or it was not looked at for long. One listener at a time.
   */
  watch(listener: (rows: readonly RecordRow[], areAll: boolean) => void): void;
  /**
   * Runs a task while nobody else changes anything. What it writes is one change, and is stored when this resolves. It may
   * be run again from its beginning, and then nothing of what it wrote before is stored. @throws StorageFailure
   */
  exclusively<T>(task: () => Promise<T>): Promise<T>;
}

/**
 * Storage for a service with few records, which it holds in memory too, and with graphs of quads, which it does not:
 * the connection service. It belongs to one process at a time, unless it is `shared`. After `close`, every other method
 * rejects.
 */
export interface RecordStore {
  /**
   * All rows of a table as they are when the first one is read, in the order of the UTF-8 bytes of their keys.
   * Changes written meanwhile do not show. @throws DamagedData (an UnusableData) when a row is not what was written
   */
  rows<T>(table: string): AsyncIterable<readonly [key: string, value: T]>;
  /**
   * The quads of one graph, in lists, in an order that depends on nothing but the quads. Changes written meanwhile
   * do not show. @throws DamagedData when they cannot be read
   */
  quads(graph: NamedNode): AsyncIterable<readonly Quad[]>;
  /**
   * Puts a change of quads together, giving way to other work, so that writing it is fast. Several changes can be
   * prepared at a time; they take effect in the order in which they are written.
   * @throws TypeError for a term that is neither IRI, blank node nor literal, and for text that is not well-formed
   */
  prepare(quads: RecordQuads): Promise<PreparedRecords>;
  /** Present where several processes may have the same records open. */
  readonly shared?: SharedRecords;
  /** Why nothing can be written at present; undefined while everything can. */
  readonly trouble: StorageTrouble | undefined;
  /** Releases the data. To be called once, when no write is under way. */
  close(): Promise<void>;
}

/** The tables of a service, for the engines and for the repair of damaged data. */
export interface RecordLayout {
  /** Version of the layout. It is raised by a change that older releases would misread. */
  readonly schema: number;
  /** Tables of records that nobody else has. */
  readonly kept: readonly string[];
  /** The table about documents that are in the quads, and can be read again from their sources. */
  readonly cached: string;
  /** Sentences for the operator about what a repair could not save. */
  readonly losses: { readonly latest: string; readonly cache: string };
}

export interface RecordStoreOptions {
  readonly layout: RecordLayout;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: StoreLog & { info(fields: Readonly<Record<string, unknown>>, message: string): void };
}

/**
 * Opens the records in a data directory, and makes them when there are none.
 * @throws UnusableData when another process uses them, or a newer release has written them; DamagedData
 */
export type OpenRecords = (dataDir: string, options: RecordStoreOptions) => Promise<RecordStore>;

/** The sentence for an operator who starts an older release on the data of a newer one. */
export function newerLayout(place: string, found: number, known: number): string {
  return `The data in ${place} was written by a newer release (layout ${found}, this one knows ${known}); run that, or set another dataDir`;
}
