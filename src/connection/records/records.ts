import type { Quad } from '@rdfjs/types';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type {
  PreparedRecords,
  RecordLayout,
  RecordQuads,
  RecordRow,
  RecordStore,
} from '../../store/record-store.js';
import { uriKey } from '../uri.js';
import { type CachedResource, graphOf, resourceKey } from './cached-resource.js';
import type { Connection } from './connection.js';
import type { Exchange, Invite } from './invite.js';
import { type IndexedRecord, RecordIndex } from './record-index.js';

/** In version 2 of the layout every value carries a checksum; the store adds them to older data. */
export const RECORD_LAYOUT: RecordLayout = {
  schema: 2,
  kept: ['connection', 'invite', 'exchange'],
  cached: 'resource',
  losses: {
    latest: 'the latest connections and invites, and changes to them',
    cache: 'cached documents of connections; they are read again when the connections are refreshed',
  },
};

/** The records of each kind; the kinds are the names of the tables. */
interface Kinds {
  connection: Connection;
  invite: Invite;
  exchange: Exchange;
  resource: CachedResource;
}
type Kind = keyof Kinds;

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
  /** Triples that are removed and added in the same write; made by `prepare`. */
  readonly quads?: PreparedRecords;
  /** Waits until what is removed is gone from the files of the engine too, as far as it can do that. */
  readonly erase?: boolean;
  readonly result: T;
}

/** The value of a row. */
type StoredRecord = Omit<IndexedRecord<Kinds[Kind]>, 'key'>;

/** What was decided, when it has been written. */
interface WrittenDecision<T> {
  readonly rows: readonly RecordRow[];
  readonly result: T;
  readonly erase?: PreparedRecords['erase'];
}

const byUri = ({ uri }: { uri: string }) => uriKey(uri);

/** All records of the service, in the store and in memory; the triples of resources are in the store only. */
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
  readonly #store: RecordStore;
  readonly #mutex = new KeyedMutex();
  #seq = 0;

  private constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Reads all records of an open store, which `close` closes. @throws DamagedData */
  static async open(store: RecordStore): Promise<Records> {
    const records = new Records(store);
    store.shared?.watch((rows, areAll) => records.#take(rows, areAll));
    for (const kind of Object.keys(records.#indexes) as Kind[]) await records.#load(kind);
    return records;
  }

  /**
   * Runs `decide` while no other change runs, and writes its changes as one durable change. When `decide` throws, or
   * the store fails, the error is passed on and nothing changes. @throws StorageFailure
   */
  async change<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<T> {
    const { shared } = this.#store;
    const { erase, result } = await this.#mutex.run('', async () => {
      const decided = () => this.#decided(decide);
      const done = await (shared ? shared.exclusively(decided) : decided());
      this.#show(done.rows);
      return done;
    });
    await erase?.();
    return result;
  }

  /** Writes what is decided. Where others have the same records open, it is decided again if they were in the way. */
  async #decided<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<WrittenDecision<T>> {
    const { changes, quads, erase, result } = await decide();
    if (changes.length === 0) return { rows: [], result };
    const rows = changes.map((change) => this.#rowOf(change));
    const prepared = quads ?? (await this.#store.prepare({}));
    await prepared.write(rows);
    return { rows, result, erase: erase ? prepared.erase : undefined };
  }

  /** Prepares a change of triples outside of `change`, since it is slow for many triples. A decision then writes it. */
  prepare(quads: RecordQuads): Promise<PreparedRecords> {
    return this.#store.prepare(quads);
  }

  /** The triples of a resource; the first `most` of them, or some more, where that is given. */
  async triples(
    resource: Pick<CachedResource, 'connection' | 'uri'>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.#store.quads(graphOf(resource))) {
      quads.push(...slice);
      if (quads.length > most) break;
    }
    return quads;
  }

  /** Why nothing can be written at present. */
  get trouble(): RecordStore['trouble'] {
    return this.#store.trouble;
  }

  /** Closes the store after the change that is under way. */
  close(): Promise<void> {
    return this.#mutex.run('', () => this.#store.close());
  }

  async #load(kind: Kind): Promise<void> {
    const rows: (RecordRow & { readonly value: StoredRecord })[] = [];
    for await (const [key, value] of this.#store.rows<StoredRecord>(kind))
      rows.push({ table: kind, key, value });
    this.#show(rows.sort((one, other) => one.value.seq - other.value.seq));
  }

  /** Takes in what another process has written. */
  #take(rows: readonly RecordRow[], areAll: boolean): void {
    if (areAll) for (const index of Object.values(this.#indexes)) index.clear();
    this.#show(rows);
  }

  #show(rows: readonly RecordRow[]): void {
    for (const { table, key, value } of rows) {
      const index = this.#indexes[table as Kind] as RecordIndex<Kinds[Kind]>;
      const stored = value as StoredRecord | undefined;
      if (stored) index.put({ ...stored, key });
      else index.delete(key);
      this.#seq = Math.max(this.#seq, stored?.seq ?? 0);
    }
  }

  /** A record that replaces another one takes over its number and its key. */
  #rowOf(change: RecordChange): RecordRow {
    const { kind: table } = change;
    const index = this.#indexes[table] as RecordIndex<Kinds[Kind]>;
    if ('remove' in change) return { table, key: storedAs(change.remove, index).key };
    const { put: record, replaces } = change;
    const key = index.keyOf(record);
    const same = index.get(key);
    const isChosen = table === 'invite' || table === 'exchange';
    const before = replaces ? storedAs(replaces, index) : isChosen ? undefined : same;
    if (before) return { table, key: before.key, value: { seq: before.seq, record } };
    const seq = ++this.#seq;
    // The second record with a URI has its number in the key too; a URI has no spaces.
    return { table, key: same ? `${key} ${seq}` : key, value: { seq, record } };
  }
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
