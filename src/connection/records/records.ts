import type { Quad } from '@rdfjs/types';
import { HeadUnknown } from '../../keep/faults.js';
import { type Follower, follow } from '../../keep/followed.js';
import type { Head, Keep, Row, Writes } from '../../keep/keep.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import { uriKey } from '../uri.js';
import { type CachedResource, graphOf, resourceKey } from './cached-resource.js';
import type { Connection } from './connection.js';
import type { Exchange, Invite } from './invite.js';
import { type IndexedRecord, RecordIndex, recordKey } from './record-index.js';

/** The records of each kind; the kinds are the names of the tables. */
interface Kinds {
  connection: Connection;
  invite: Invite;
  exchange: Exchange;
  resource: CachedResource;
}
type Kind = keyof Kinds;

/** The tables, in the order in which they are read. */
export const KINDS: readonly Kind[] = ['connection', 'invite', 'exchange', 'resource'];

/**
 * One record to add, replace or remove. A connection or resource replaces the one with the same key. An invite or
 * exchange, whose URI another holder may have chosen too, replaces only the record that `replaces` names. Records to
 * replace or remove are the very objects of the index.
 */
export type RecordChange = {
  [K in Kind]:
    | { readonly kind: K; readonly put: Kinds[K]; readonly replaces?: Kinds[K] }
    | { readonly kind: K; readonly remove: Kinds[K] };
}[Kind];

/** The outcome of a decision. All of its changes are written, or none. */
export interface Decision<T> {
  readonly changes: readonly RecordChange[];
  /** Triples that are removed and added in the same commit. */
  readonly quads?: Writes['quads'];
  /** Waits until what is removed or replaced is gone from the files of the engine too, as far as it can do that. */
  readonly erase?: boolean;
  readonly result: T;
}

/** The value of a row. */
type StoredRecord = Omit<IndexedRecord<Kinds[Kind]>, 'key'>;

/** A row, and what its value says. */
interface RecordRow extends Pick<Row, 'table' | 'key'> {
  readonly stored: StoredRecord | undefined;
}

export interface RecordsOptions {
  /** Do other nodes write to the same keep? */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: LogTo<'warn'>;
}

const byUri = ({ uri }: { uri: string }) => recordKey(uriKey(uri));

/** All records of the service, in the keep and in memory; the triples of resources are in the keep only. */
export class Records {
  readonly connections = new RecordIndex<Connection>(byUri);
  readonly invites = new RecordIndex<Invite>(byUri);
  readonly exchanges = new RecordIndex<Exchange>(byUri);
  readonly resources = new RecordIndex<CachedResource>(resourceKey);
  readonly #indexes: { readonly [K in Kind]: RecordIndex<Kinds[K]> } = {
    connection: this.connections,
    invite: this.invites,
    exchange: this.exchanges,
    resource: this.resources,
  };
  readonly #keep: Keep;
  readonly #mutex = new KeyedMutex();
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();
  /** All that was written up to this is in the indexes. */
  #head: Head = { epoch: '', version: 0, mark: '' };
  #seq = 0;

  private constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** Reads all records of a keep, which `close` closes. @throws KeepDamaged */
  static async open(keep: Keep, options: RecordsOptions): Promise<Records> {
    const records = new Records(keep);
    await records.#load();
    if (options.isShared) records.#following = records.#follow(options);
    return records;
  }

  /**
   * Runs `decide` while no other change runs, and writes its changes as one durable change. Where other nodes write too, it may
   * be run again, when what they have written is in the indexes. When `decide` throws, or the keep fails, the error is passed
   * on and nothing changes. @throws StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  change<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.#mutex.run('', async () => {
      for (;;) {
        try {
          return await this.#commit(decide);
        } catch (error) {
          if (!(error instanceof HeadUnknown)) throw error;
          await this.#load();
        }
      }
    });
  }

  async #commit<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<T> {
    const decided: { rows: readonly RecordRow[]; result: T }[] = [];
    const head = await this.#keep.commit(this.#head, async ({ rows: others }) => {
      this.#take(others);
      const { changes, quads, erase, result } = await decide();
      const rows = changes.map((change) => this.#rowOf(change));
      decided.push({ rows, result });
      if (rows.length === 0) return undefined;
      return { rows: rows.map(asRow), ...(quads ? { quads } : {}), ...(erase ? { erase } : {}) };
    });
    this.#head = head;
    const { rows, result } = decided.at(-1) as (typeof decided)[number];
    this.#show(rows);
    return result;
  }

  /** The triples of a resource; the first `most` of them, or some more, where that is given. */
  async triples(
    resource: Pick<CachedResource, 'connection' | 'uri'>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.#keep.quads([graphOf(resource)])) {
      quads.push(...slice);
      if (quads.length > most) break;
    }
    return quads;
  }

  /** Why nothing can be written at present. */
  get trouble(): Keep['trouble'] {
    return this.#keep.trouble;
  }

  /** Closes the keep after the change that is under way. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#mutex.run('', () => this.#keep.close());
  }

  /** Reads everything, in the place of what the indexes hold. */
  async #load(): Promise<void> {
    const rows: Row[] = [];
    let head = this.#head;
    for await (const batch of this.#keep.rows(KINDS)) {
      rows.push(...batch.rows);
      head = batch.head;
    }
    for (const index of Object.values(this.#indexes)) index.clear();
    this.#take(rows);
    this.#head = head;
  }

  /** Takes in what other nodes write, until the service is closed. */
  #follow({ clock, log }: RecordsOptions): Promise<void> {
    const follower: Follower = {
      head: () => this.#head,
      idle: (task) => this.#mutex.run('', task),
      take: (rows, head) => {
        this.#take(rows);
        this.#head = head;
      },
      reload: () => this.#load(),
      failed: (error) =>
        log.warn({ error: explain(error) }, 'connections that other nodes have changed could not be read'),
    };
    return follow(this.#keep, follower, { clock, signal: this.#stopping.signal });
  }

  /** Shows rows as the keep has them, the oldest records first. A record that is the same stays the same object. */
  #take(rows: readonly Row[]): void {
    const records = rows.filter((row) => KINDS.includes(row.table as Kind) && !this.#isShown(row));
    const read = records.map(({ table, key, value }): RecordRow => {
      return { table, key, stored: value === undefined ? undefined : JSON.parse(value) };
    });
    this.#show(read.sort((one, other) => (one.stored?.seq ?? 0) - (other.stored?.seq ?? 0)));
  }

  #isShown({ table, key, value }: Row): boolean {
    const shown = (this.#indexes[table as Kind] as RecordIndex<Kinds[Kind]>).get(key);
    return shown !== undefined && value === JSON.stringify({ seq: shown.seq, record: shown.record });
  }

  #show(rows: readonly RecordRow[]): void {
    for (const { table, key, stored } of rows) {
      const index = this.#indexes[table as Kind] as RecordIndex<Kinds[Kind]>;
      if (stored) index.put({ ...stored, key });
      else index.delete(key);
      this.#seq = Math.max(this.#seq, stored?.seq ?? 0);
    }
  }

  /** A record that replaces another one takes over its number and its key. */
  #rowOf(change: RecordChange): RecordRow {
    const { kind: table } = change;
    const index = this.#indexes[table] as RecordIndex<Kinds[Kind]>;
    if ('remove' in change) return { table, key: storedAs(change.remove, index).key, stored: undefined };
    const { put: record, replaces } = change;
    const key = index.keyOf(record);
    const same = index.get(key);
    const isChosen = table === 'invite' || table === 'exchange';
    const before = replaces ? storedAs(replaces, index) : isChosen ? undefined : same;
    if (before) return { table, key: before.key, stored: { seq: before.seq, record } };
    const seq = ++this.#seq;
    // The second record with a URI has its number in the key too; a URI has no spaces.
    return { table, key: same ? `${key} ${seq}` : key, stored: { seq, record } };
  }
}

function asRow({ table, key, stored }: RecordRow): Row {
  return { table, key, value: stored && JSON.stringify({ seq: stored.seq, record: stored.record }) };
}

/** Where a record is stored: of several with one URI, only the object itself tells which. */
function storedAs<T extends { uri: string; holder: string }>(
  record: T,
  index: RecordIndex<T>,
): IndexedRecord<T> {
  const found = index.named(record.uri).find((indexed) => indexed.record === record);
  if (found) return found;
  throw new Error('The record to replace or remove is not the stored one');
}
