import type { Clock } from '../lib/clock.js';
import { grouped } from '../lib/grouped.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Pace } from '../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from './checked-writes.js';
import { HeadUnknown, LeaseLost } from './faults.js';
import type { Decide, Head, Keep, Lease, Reads, Row, Since, TailPart } from './keep.js';
import { type Engine, type EngineOptions, LEASE_LIFETIME } from './service-keep.js';

/** What one service has stored, in this process alone. */
export interface LocalStore extends Reads {
  /** Writes all of it and the head, or nothing; on disk when it resolves. @throws KeepFull */
  write(writes: CheckedWrites, head: Head): Promise<void>;
  readonly trouble?: Keep['trouble'];
}

/** A head, and the rows that the commit to it has written. */
export interface Step {
  readonly head: Head;
  readonly keys: readonly Pick<Row, 'table' | 'key'>[];
}

export interface LocalServiceOptions extends Pick<EngineOptions, 'unique'> {
  /** The time that leases end by. */
  readonly clock: Pick<Clock, 'now'>;
  readonly pace: Pace;
  /** Commits that are remembered: a keep that is farther behind loads anew. */
  readonly remembered: number;
}

/** The commits of one service, one after the other: what all of its keeps share that are in one process. */
export class LocalService<S extends LocalStore = LocalStore> implements Engine {
  readonly holdsQuads = true;
  readonly #options: LocalServiceOptions;
  readonly #mutex = new KeyedMutex();
  readonly #leases = new Map<string, { readonly fence: string; readonly until: number }>();
  #store: S;
  /** The latest ones, the present one last. */
  #steps: readonly Step[];

  /** `head`: of what is stored. */
  constructor(store: S, head: Head, options: LocalServiceOptions) {
    this.#store = store;
    this.#options = options;
    this.#steps = [{ head, keys: [] }];
  }

  get head(): Head {
    return (this.#steps.at(-1) as Step).head;
  }

  get content(): { readonly store: S; readonly steps: readonly Step[] } {
    return { store: this.#store, steps: this.#steps };
  }

  get trouble(): Keep['trouble'] {
    return this.#store.trouble;
  }

  /** There is another content now: a backup has been restored. Who has taken leases since is not in it. */
  reset(store: S, steps: readonly Step[]): void {
    this.#store = store;
    this.#leases.clear();
    this.#steps = steps;
  }

  rows: Keep['rows'] = (...asked) => this.#store.rows(...asked);
  get: Keep['get'] = (...asked) => this.#store.get(...asked);
  quads: Keep['quads'] = (...asked) => this.#store.quads(...asked);

  commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    return this.#mutex.run('', async () => {
      const changes = await this.#changesSince(since);
      if (lease && this.#leases.get(lease.name)?.fence !== lease.fence) throw new LeaseLost(lease.name);
      const writes = await decide(changes);
      if (writes) await this.#write(await checkedWrites(writes, this.#options.pace()));
      return this.head;
    });
  }

  exclusively: Keep['exclusively'] = (task) =>
    this.#mutex.run('', async () => {
      const { result, ...writes } = await task(this);
      const checked = await checkedWrites(writes, this.#options.pace());
      if (!isNothing(checked)) await this.#write(checked);
      return result;
    });

  async *since(known: Head): AsyncGenerator<TailPart> {
    if (this.head.mark !== known.mark) yield await this.#mutex.run('', () => this.#changesSince(known));
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

  async #changesSince(since: Head): Promise<Since> {
    // From the end: most often it is the latest one, of many.
    const at = this.#steps.findLastIndex(({ head }) => head.mark === since.mark);
    if (at < 0) {
      if (this.#isAnotherHistory(since)) await this.#write(NO_WRITES, this.#options.unique());
      throw new HeadUnknown();
    }
    const rows: Row[] = [];
    const keys = this.#steps.slice(at + 1).flatMap((step) => step.keys);
    for (const [table, some] of grouped(keys, (one) => one.table)) {
      const names = [...new Set(some.map(({ key }) => key))];
      const found = await this.#store.get(table, names);
      rows.push(...names.map((key) => found.get(key) ?? { table, key, value: undefined }));
    }
    return { head: this.head, rows };
  }

  /** Whoever notices first begins another epoch; a head that is older than what is remembered proves nothing. */
  #isAnotherHistory({ epoch, version }: Head): boolean {
    return epoch === this.head.epoch && version >= (this.#steps[0] as Step).head.version;
  }

  async #write(writes: CheckedWrites, epoch = this.head.epoch): Promise<void> {
    const { unique, remembered } = this.#options;
    const head: Head = { epoch, version: this.head.version + 1, mark: unique() };
    await this.#store.write(writes, head);
    const keys = writes.rows.map(({ table, key }) => ({ table, key }));
    this.#steps = [...this.#steps.slice(-remembered), { head, keys }];
  }
}
