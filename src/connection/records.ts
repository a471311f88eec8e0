import type { Quad } from '@rdfjs/types';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { UnusableData } from '../store/level.js';
import type { PreparedChange, QuadChange, QuadStore, Row } from '../store/quad-store.js';
import { type CachedResource, graphOf, resourceKey } from './cached-resource.js';
import type { Connection } from './connection.js';
import type { Exchange, Invite } from './invite.js';
import { type Kept, Shelf } from './shelf.js';
import { uriKey } from './uri.js';

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

/** One record that comes, is replaced, or goes. */
export type RecordChange = {
  [K in Kind]: { readonly kind: K; readonly put: Kinds[K] } | { readonly kind: K; readonly remove: Kinds[K] };
}[Kind];

/** What a change comes to: all of it is written, or nothing. */
export interface Decision<T> {
  readonly changes: readonly RecordChange[];
  /** Triples that go and come with them; see `prepare`. */
  readonly quads?: PreparedChange;
  readonly result: T;
}

const byUri = ({ uri }: { uri: string }) => uriKey(uri);

/** All that the service keeps, on disk and, but for the triples, in memory. */
export class Records {
  readonly connections = new Shelf<Connection>(byUri);
  readonly invites = new Shelf<Invite>(byUri);
  readonly exchanges = new Shelf<Exchange>(byUri);
  readonly resources = new Shelf<CachedResource>(resourceKey);
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
   * Decides on a change while nobody else can, and writes it durably as one batch. What the decision throws
   * is passed on, and nothing has happened.
   */
  change<T>(decide: () => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.#mutex.run('', async () => {
      const { changes, quads, result } = await decide();
      if (changes.length === 0) return result;
      const kept = changes.map((change) => this.#kept(change));
      const rows = changes.map((one, i) => this.#row(one, kept[i]));
      await (quads ? quads.write(rows) : this.#store.write({ rows, durable: true }));
      for (const [i, change] of changes.entries()) this.#apply(change, kept[i]);
      return result;
    });
  }

  /** Puts a change of triples together, which takes a while when they are many; a decision writes it. */
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
    const found: Kept<Kinds[K]>[] = [];
    for await (const [, kept] of this.#store.rows<Kept<Kinds[K]>>(kind)) found.push(kept);
    for (const kept of found.sort((one, other) => one.seq - other.seq)) {
      this.#shelf(kind).put(kept);
      this.#seq = Math.max(this.#seq, kept.seq);
    }
  }

  #shelf<K extends Kind>(kind: K): Shelf<Kinds[K]> {
    const shelves: { [each in Kind]: Shelf<Kinds[each]> } = {
      connection: this.connections,
      invite: this.invites,
      exchange: this.exchanges,
      resource: this.resources,
    };
    return shelves[kind];
  }

  /** A record keeps its place when it is replaced. */
  #kept(change: RecordChange): Kept<Kinds[Kind]> | undefined {
    if ('remove' in change) return undefined;
    const shelf = this.#shelf(change.kind) as Shelf<Kinds[Kind]>;
    const seq = shelf.get(shelf.keyOf(change.put))?.seq ?? ++this.#seq;
    return { seq, record: change.put };
  }

  #row(change: RecordChange, kept: Kept<Kinds[Kind]> | undefined): Row {
    return { table: change.kind, key: this.#keyOf(change), value: kept };
  }

  #apply(change: RecordChange, kept: Kept<Kinds[Kind]> | undefined): void {
    const shelf = this.#shelf(change.kind) as Shelf<Kinds[Kind]>;
    if (kept) shelf.put(kept);
    else shelf.delete(this.#keyOf(change));
  }

  #keyOf(change: RecordChange): string {
    const shelf = this.#shelf(change.kind) as Shelf<Kinds[Kind]>;
    return shelf.keyOf('put' in change ? change.put : change.remove);
  }
}
