import type { Clock } from '../../lib/clock.js';
import { grouped } from '../../lib/grouped.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { Pace } from '../../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from '../checked-writes.js';
import { HeadUnknown, LeaseLost } from '../faults.js';
import { IMPOSSIBLE_LEASE, LEASE_LIFETIME } from '../held-leases.js';
import type { Decide, Head, Keep, Lease, Reads, Row, Since, Writes } from '../keep.js';

/** What one service has stored, in this process alone. */
export interface LocalStore extends Reads {
  /** Writes all of it and the head, or nothing; on disk when it resolves. @throws KeepFull, OutcomeUnknown */
  write(writes: CheckedWrites, head: Head): Promise<void>;
  readonly trouble: Keep['trouble'];
}

/** A head, and the rows that the commit to it has written. */
export interface Step {
  readonly head: Head;
  readonly keys: readonly Pick<Row, 'table' | 'key'>[];
}

export interface LocalServiceOptions {
  /** The time that leases end by. */
  readonly clock: Pick<Clock, 'now'>;
  readonly pace: Pace;
  /** Draws epochs and marks: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
}

/** Keys of rows, and heads, that are remembered: a keep that is farther behind loads anew. */
const REMEMBERED = 100_000;

/** The commits of one service, one after the other: what all of its keeps share that are in one process. */
export class LocalService {
  readonly store: LocalStore;
  readonly #options: LocalServiceOptions;
  readonly #mutex = new KeyedMutex();
  readonly #leases = new Map<string, { readonly fence: string; readonly until: number }>();
  readonly #waiting = new Set<() => void>();
  #steps: Step[];
  /** Weights of the steps, together. */
  #remembered: number;

  /** `steps`: the latest ones that are known, the present one last. */
  constructor(store: LocalStore, steps: readonly [Step, ...Step[]], options: LocalServiceOptions) {
    this.store = store;
    this.#options = options;
    this.#steps = [...steps];
    this.#remembered = weightOfAll(steps);
  }

  get head(): Head {
    return (this.#steps.at(-1) as Step).head;
  }

  get steps(): readonly [Step, ...Step[]] {
    return [...this.#steps] as [Step, ...Step[]];
  }

  /** The store has another content now: a backup has been restored. Who has taken leases since is not in it. */
  reset(steps: readonly [Step, ...Step[]]): void {
    this.#steps = [...steps];
    this.#leases.clear();
    this.#remembered = weightOfAll(steps);
    this.#tellAll();
  }

  commit(since: Head, decide: Decide, lease: Lease | undefined): Promise<Head> {
    return this.#mutex.run('', async () => {
      const changes = await this.#changesSince(since);
      this.#refuseLost(lease);
      const writes = await decide(changes);
      if (writes) await this.#write(await checkedWrites(writes, this.#options.pace()));
      return this.head;
    });
  }

  exclusively<T>(task: (now: Reads) => Promise<Writes & { readonly result: T }>): Promise<T> {
    return this.#mutex.run('', async () => {
      const { result, ...writes } = await task(this.store);
      const checked = await checkedWrites(writes, this.#options.pace());
      if (!isNothing(checked)) await this.#write(checked);
      return result;
    });
  }

  /** @throws HeadUnknown */
  changesSince(since: Head): Promise<Since> {
    return this.#mutex.run('', () => this.#changesSince(since));
  }

  /** Resolves when the head is another one, or the signal is aborted. */
  async headAfter(head: Head, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.head.mark === head.mark) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  /** The fence of a lease; `undefined` while somebody else has it. */
  takeLease(name: string): string | undefined {
    const now = this.#options.clock.now();
    const held = this.#leases.get(name);
    if (held && held.until > now && held.until < now + IMPOSSIBLE_LEASE) return undefined;
    const fence = this.#options.unique();
    this.#leases.set(name, { fence, until: now + LEASE_LIFETIME });
    return fence;
  }

  renewLease({ name, fence }: Pick<Lease, 'name' | 'fence'>): void {
    if (this.#leases.get(name)?.fence !== fence) return;
    this.#leases.set(name, { fence, until: this.#options.clock.now() + LEASE_LIFETIME });
  }

  releaseLease({ name, fence }: Pick<Lease, 'name' | 'fence'>): void {
    if (this.#leases.get(name)?.fence === fence) this.#leases.delete(name);
  }

  #refuseLost(lease: Lease | undefined): void {
    if (lease && this.#leases.get(lease.name)?.fence !== lease.fence) throw new LeaseLost(lease.name);
  }

  async #changesSince(since: Head): Promise<Since> {
    // From the end: most often it is the latest one, of many.
    const at = this.#steps.findLastIndex(({ head }) => head.mark === since.mark);
    if (at < 0) {
      if (this.#isAnotherHistory(since)) await this.#write(NO_WRITES, this.#options.unique());
      throw new HeadUnknown();
    }
    const keys = this.#steps.slice(at + 1).flatMap((step) => step.keys);
    return { head: this.head, rows: await this.#rowsNow(keys) };
  }

  /** Whoever notices first begins another epoch; a head that is older than what is remembered proves nothing. */
  #isAnotherHistory({ epoch, version }: Head): boolean {
    return epoch === this.head.epoch && version >= (this.#steps[0] as Step).head.version;
  }

  async #rowsNow(keys: Step['keys']): Promise<Row[]> {
    const rows: Row[] = [];
    for (const [table, some] of grouped(keys, (one) => one.table)) {
      const names = [...new Set(some.map(({ key }) => key))];
      const found = await this.store.get(table, names);
      rows.push(...names.map((key) => found.get(key) ?? { table, key, value: undefined }));
    }
    return rows;
  }

  async #write(writes: CheckedWrites, epoch = this.head.epoch): Promise<void> {
    const head: Head = { epoch, version: this.head.version + 1, mark: this.#options.unique() };
    await this.store.write(writes, head);
    this.#remember({ head, keys: writes.rows.map(({ table, key }) => ({ table, key })) });
    this.#tellAll();
  }

  #remember(step: Step): void {
    this.#steps.push(step);
    this.#remembered += weightOf(step);
    while (this.#remembered > REMEMBERED && this.#steps.length > 1)
      this.#remembered -= weightOf(this.#steps.shift() as Step);
  }

  #tellAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

function weightOf({ keys }: Step): number {
  return keys.length + 1;
}

function weightOfAll(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + weightOf(step), 0);
}
