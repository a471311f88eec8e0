import type { Clock } from '../lib/clock.js';
import { grouped } from '../lib/grouped.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { CheckedWrites } from './checked-writes.js';
import type { Head, Keep, Reads, Row, Since } from './keep.js';
import { type Engine, LEASE_LIFETIME, type LeaseName, type Turn, writtenSince } from './service-keep.js';

/** What one service has stored, in this process alone. */
export interface LocalStore extends Reads {
  /** Writes all of it and the head, or nothing; on disk when it resolves. @throws StorageFailure */
  write(writes: CheckedWrites, head: Head): Promise<void>;
  readonly trouble?: Keep['trouble'];
}

/** A head, and the rows that the commit to it has written. */
export interface Step {
  readonly head: Head;
  readonly keys: readonly Pick<Row, 'table' | 'key'>[];
}

export interface LocalServiceOptions {
  /** The time that leases end by. */
  readonly clock: Pick<Clock, 'now'>;
  /** Commits that are remembered: a keep that is farther behind loads anew. */
  readonly remembered: number;
}

/** The commits of one service, one after the other: what all of its keeps share that are in one process. */
export class LocalService<S extends LocalStore = LocalStore> implements Engine, Turn {
  readonly #options: LocalServiceOptions;
  readonly #mutex = new KeyedMutex();
  readonly #leases = new Map<string, { readonly fence: string; readonly until: number }>();
  /** What is stored, and the latest commits, of which the last one led to it. It is replaced when a backup is restored. */
  content: { readonly store: S; readonly steps: readonly Step[] };

  /** `head`: of what is stored. */
  constructor(store: S, head: Head, options: LocalServiceOptions) {
    this.#options = options;
    this.content = { store, steps: [{ head, keys: [] }] };
  }

  get trouble(): Keep['trouble'] {
    return this.content.store.trouble;
  }

  rows: Keep['rows'] = (...asked) => this.content.store.rows(...asked);
  get: Keep['get'] = (...asked) => this.content.store.get(...asked);
  quads: Keep['quads'] = (...asked) => this.content.store.quads(...asked);

  turn<T>(task: (turn: Turn, head: Head) => Promise<T>): Promise<T> {
    return this.#mutex.run('', () => task(this, (this.content.steps.at(-1) as Step).head));
  }

  tail(known: Head): Promise<Since> {
    return this.turn((history, head) => writtenSince(known, head, history));
  }

  async lease(...[how, { name, fence }]: Parameters<Engine['lease']>): Promise<boolean> {
    const now = this.#options.clock.now();
    const held = this.#leases.get(name);
    const isFree = how === 'take' && (held?.until ?? now) <= now;
    if (!isFree && held?.fence !== fence) return false;
    if (how === 'release') this.#leases.delete(name);
    else this.#leases.set(name, { fence, until: now + LEASE_LIFETIME });
    return true;
  }

  // What there is to whoever has a turn.

  async markOf(version: number): Promise<string | undefined> {
    return this.content.steps.find(({ head }) => head.version === version)?.head.mark;
  }

  async *behind(version: number): AsyncGenerator<readonly Row[]> {
    const keys = this.content.steps.flatMap(({ head, keys }) => (head.version > version ? keys : []));
    for (const [table, some] of grouped(keys, (one) => one.table)) {
      const names = [...new Set(some.map(({ key }) => key))];
      const found = await this.content.store.get(table, names);
      yield names.map((key) => found.get(key) ?? { table, key, value: undefined });
    }
  }

  async holds({ name, fence }: LeaseName): Promise<boolean> {
    return this.#leases.get(name)?.fence === fence;
  }

  async endLeases(): Promise<void> {
    this.#leases.clear();
  }

  async write(writes: CheckedWrites, head: Head): Promise<void> {
    await this.content.store.write(writes, head);
    const { store, steps } = this.content;
    const keys = writes.rows.map(({ table, key }) => ({ table, key }));
    this.content = { store, steps: [...steps.slice(-this.#options.remembered), { head, keys }] };
  }
}
