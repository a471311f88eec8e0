import type { PoolClient } from 'pg';
import { cursorOf, cursorText, sameCursor } from '../../../src/core/cursor.js';
import type { MemoryData } from '../../../src/store/memory/memory-data.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import type { Opener, Storage } from '../nodes/storage.js';
import type { Life } from '../time/life.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { databaseError, ModelClient } from './model-client.js';
import { ModelStore } from './model-store.js';
import { NO_TABLES, type Tables } from './tables.js';

/** As src/store/postgres/ asks servers: how long a lock is waited for, and how long a transaction may be silent, in ms. */
const WAITS = { lock: 10_000, idleTransaction: 15_000 };
/** How long it takes until another server takes writes, in ms. */
const FAILOVER = 8_000;
/** Commits that a standby may lack. */
const KEPT = 10;
/** So soon every process has noticed that the database has lost commits, in ms. */
const NOTICED = 15_000;

/**
 * A model of the database that processes of one node share, in virtual time. It knows the statements that decide who may write
 * and which history is told, and runs them as PostgreSQL does, but for one thing: transactions that change something come one
 * after the other, because the first one that locks anything locks everything.
 */
export class ModelDatabase implements Storage {
  readonly #time: VirtualTime;
  readonly #name: string;
  readonly #overtaken: (source: string) => void;
  #tables: Tables = NO_TABLES;
  /** After each of the latest commits that readers see, the oldest first. */
  #history: Tables[] = [];
  readonly #clients = new Set<ModelClient>();
  #holder: ModelClient | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #stores = new Set<ModelStore>();
  #awayUntil = 0;
  /** Since when it tells the history that it tells now. */
  #since = 0;
  #opened = 0;

  /** `overtaken` is told of a source of which an earlier reading was stored over a later one. */
  constructor(time: VirtualTime, name: string, overtaken: (source: string) => void) {
    this.#time = time;
    this.#name = name;
    this.#overtaken = overtaken;
  }

  get data(): MemoryData {
    return this.#tables.data;
  }

  open(opener: Opener): RegistryStore {
    this.#opened += 1;
    const connections = {
      acquire: () => this.#connect(opener.life),
      // There is one host, whoever takes writes there.
      lookElsewhere: () => undefined,
      ...{ described: this.#name, most: 10, close: async () => undefined },
    };
    const store = new ModelStore(connections, opener, `${this.#name} ${this.#opened}`);
    this.#stores.add(store);
    opener.life.atEnd(() => this.#stores.delete(store));
    return store;
  }

  backup(): () => void {
    const tables = this.#tables;
    return () => this.#put(tables);
  }

  /** Another server takes its place, which lacks the latest commits; meanwhile there is none. */
  failOver(lost: number): void {
    this.#put(this.#history.at(-1 - lost) ?? this.#history[0] ?? this.#tables);
    this.#awayUntil = this.#time.now + FAILOVER;
    for (const client of [...this.#clients]) client.break(databaseError('57P01'));
  }

  astray(): string | undefined {
    if (this.#time.now - Math.max(this.#since, this.#awayUntil) < NOTICED) return undefined;
    const { states, state } = this.data;
    const lost = [...this.#stores]
      .flatMap((store) => store.told(NOTICED) ?? [])
      .map((told) => cursorOf(told))
      .find((told) => !states.some((one) => sameCursor({ ...one, epoch: state.revision.epoch }, told)));
    return lost && cursorText(lost);
  }

  #put(tables: Tables): void {
    this.#since = this.#time.now;
    this.#tables = tables;
    this.#history = [tables];
  }

  async #connect(life: Life): Promise<PoolClient> {
    await new Promise<void>((resolve) => {
      this.#time.after(1, () => life.run(resolve));
    });
    if (this.#time.now < this.#awayUntil) throw databaseError('ECONNREFUSED');
    const client: ModelClient = new ModelClient({
      ...{ time: this.#time, life, committed: () => this.#tables },
      commit: (tables) => this.#commit(tables),
      lock: (one) => this.#lock(one),
      unlock: (one) => this.#unlock(one),
      ended: () => this.#clients.delete(client),
    });
    this.#clients.add(client);
    // Of a client of the library it has what is used.
    return client as unknown as PoolClient;
  }

  #commit(tables: Tables): void {
    const { read } = this.#tables;
    if (tables.read !== read)
      for (const [source, begun] of tables.read) if (begun < (read.get(source) ?? 0)) this.#overtaken(source);
    this.#tables = tables;
    if (this.#history.at(-1)?.head === tables.head) return;
    this.#history = [...this.#history.slice(1 - KEPT), tables];
  }

  async #lock(client: ModelClient): Promise<void> {
    const latest = this.#time.now + WAITS.lock;
    while (this.#holder && this.#holder !== client) {
      if (this.#time.now >= latest) throw databaseError('55P03');
      const holder = this.#holder;
      const silentUntil = this.#time.now + WAITS.idleTransaction - holder.silence;
      await new Promise<void>((resolve) => {
        const event = this.#time.after(Math.min(latest, silentUntil) - this.#time.now, () => freed());
        const freed = () => {
          this.#waiting.delete(freed);
          this.#time.cancel(event);
          resolve();
        };
        this.#waiting.add(freed);
      });
      // The server ends a transaction of which nothing is heard.
      if (this.#holder === holder && holder.silence >= WAITS.idleTransaction)
        holder.break(databaseError('25P03'));
    }
    this.#holder = client;
  }

  #unlock(client: ModelClient): void {
    if (this.#holder !== client) return;
    this.#holder = undefined;
    const [next] = this.#waiting;
    next?.();
  }
}
