import type { Quad } from '@rdfjs/types';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { PreparedChange, QuadChange, QuadStore, Row } from '../../store/disk/database/quad-store.js';
import { UnusableData } from '../../store/unusable-data.js';
import type { Connection } from '../connections/connection.js';
import type { Exchange, Invite } from '../invites/invite.js';
import { type CachedResource, graphOf, resourceKey } from '../resources/cached-resource.js';
import { uriKey } from '../uri.js';
import { type IndexedRecord, RecordIndex } from './record-index.js';

/**
 * Version of the layout on disk; a change that older software would misread raises it. In version 2 every value
 * carries a checksum; older data gets them when it is opened.
 */
export const SCHEMA_VERSION = 2;

interface Kinds {
  connection: Connection;
  invite: Invite;
  exchange: Exchange;
  resource: CachedResource;
}
type Kind = keyof Kinds;

/**
 * One record to add, replace or remove. Connections and resources replace the record with the same key; invites and
 * exchanges, whose URIs holders choose, replace only the record that they name.
 */
export type RecordChange = {
  [K in Kind]:
    | { readonly kind: K; readonly put: Kinds[K]; readonly replaces?: Kinds[K] }
    | { readonly kind: K; readonly remove: Kinds[K] };
}[Kind];

/** The outcome of a decision. All of its changes are written, or none. */
export interface Decision<T> {
  readonly changes: readonly RecordChange[];
  /** Triples that are removed and added in the same batch; made by `prepare`. */
  readonly quads?: PreparedChange;
  readonly result: T;
}

/** As it is on disk, under its key. */
type Stored<T> = Omit<IndexedRecord<T>, 'key'>;

const byUri = ({ uri }: { uri: string }) => uriKey(uri);

/** All records of the service. They are on disk and in memory; the triples of resources are on disk only. */
export class Records {
  readonly connections = new RecordIndex<Connection>(byUri);
  readonly invites = new RecordIndex<Invite>(byUri);
  readonly exchanges = new RecordIndex<Exchange>(byUri);
  readonly resources = new RecordIndex<CachedResource>(resourceKey);
  readonly #store: QuadStore;
  readonly #mutex = new KeyedMutex();
  #seq = 0;

  private constructor(store: QuadStore) {
    this.#store = store;
  }

  /** Takes over an open store. @throws UnusableData when newer software has written it */
  static async open(store: QuadStore): Promise<Records> {
    const records = new Records(store);
    await records.#checkSchema();
    for (const kind of ['connection', 'invite', 'exchange', 'resource'] as const) await records.#load(kind);
    return records;
  }

  /**
   * Runs `decide` while no other change runs, and writes its changes to disk as one batch (fsync). When `decide`
   * throws, the error is passed on and nothing is written.
   */
  change<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.#mutex.run('', async () => {
      const { changes, quads, result } = await decide();
      if (changes.length === 0) return result;
      const indexed = changes.map((change) => this.#indexed(change));
      const rows = changes.map((one, i) => this.#row(one, indexed[i]));
      await (quads ? quads.write(rows) : this.#store.write({ rows, durable: true }));
      for (const [i, change] of changes.entries()) this.#apply(change, indexed[i]);
      return result;
    });
  }

  /** Prepares a change of triples outside of `change`, since it is slow for many triples. A decision then writes it. */
  prepare(quads: Pick<QuadChange, 'add' | 'remove'>): Promise<PreparedChange> {
    return this.#store.prepare({ ...quads, durable: true });
  }

  /** The triples of a resource. */
  async triples(resource: Pick<CachedResource, 'connection' | 'uri'>): Promise<Quad[]> {
    const quads: Quad[] = [];
    for await (const slice of this.#store.read({ graph: graphOf(resource) })) quads.push(...slice);
    return quads;
  }

  /** Why nothing can be written at present. */
  get trouble(): QuadStore['trouble'] {
    return this.#store.trouble;
  }

  /** Closes the store after the change that is under way. */
  close(): Promise<void> {
    return this.#mutex.run('', () => this.#store.close());
  }

  async #checkSchema(): Promise<void> {
    // Those under damaged keys would not be found.
    for await (const _row of this.#store.rows('meta'));
    const found = await this.#store.row<number>('meta', 'schema');
    if (found !== undefined && found > SCHEMA_VERSION) {
      throw new UnusableData(
        `The connections were written by a newer release (layout ${found}, this one knows ${SCHEMA_VERSION}); run that, or set another dataDir`,
      );
    }
    if (found === undefined) {
      const rows = [{ table: 'meta', key: 'schema', value: SCHEMA_VERSION }];
      await this.#store.write({ rows, durable: true });
    }
  }

  async #load<K extends Kind>(kind: K): Promise<void> {
    const found: IndexedRecord<Kinds[K]>[] = [];
    for await (const [key, stored] of this.#store.rows<Stored<Kinds[K]>>(kind))
      found.push({ ...stored, key });
    for (const indexed of found.sort((one, other) => one.seq - other.seq)) {
      this.#index(kind).put(indexed);
      this.#seq = Math.max(this.#seq, indexed.seq);
    }
  }

  #index<K extends Kind>(kind: K): RecordIndex<Kinds[K]> {
    const indexes: { [each in Kind]: RecordIndex<Kinds[each]> } = {
      connection: this.connections,
      invite: this.invites,
      exchange: this.exchanges,
      resource: this.resources,
    };
    return indexes[kind];
  }

  /** A record that is replaced leaves its place and its key to the new one. */
  #indexed(change: RecordChange): IndexedRecord<Kinds[Kind]> | undefined {
    if ('remove' in change) return undefined;
    const index = this.#index(change.kind) as RecordIndex<Kinds[Kind]>;
    const key = index.keyOf(change.put);
    const same = index.get(key);
    const isChosen = change.kind === 'invite' || change.kind === 'exchange';
    const { replaces } = change;
    const before = isChosen
      ? replaces && index.named(replaces.uri).find(({ record }) => record === replaces)
      : same;
    if (before) return { ...before, record: change.put };
    const seq = ++this.#seq;
    return { seq, key: same ? `${key} ${seq}` : key, record: change.put };
  }

  #row(change: RecordChange, indexed: IndexedRecord<Kinds[Kind]> | undefined): Row {
    return {
      table: change.kind,
      key: indexed?.key ?? this.#keyOf(change),
      value: indexed && { seq: indexed.seq, record: indexed.record },
    };
  }

  #apply(change: RecordChange, indexed: IndexedRecord<Kinds[Kind]> | undefined): void {
    const index = this.#index(change.kind) as RecordIndex<Kinds[Kind]>;
    if (indexed) index.put(indexed);
    else index.delete(this.#keyOf(change));
  }

  #keyOf(change: RecordChange): string {
    const index = this.#index(change.kind) as RecordIndex<Kinds[Kind]>;
    return index.keyOf('put' in change ? change.put : change.remove);
  }
}
