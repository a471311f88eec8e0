import { KeepUnavailable } from '../../../src/keep/faults.js';
import type { Decide, Head, Keep, Lease, TailPart, Writes } from '../../../src/keep/keep.js';
import { OutcomeUnknown } from '../../../src/lib/faults.js';
import type { Opener, Storage } from './storage.js';
import { isOfDocuments } from './stored.js';

/** Ms that each part of a write takes on a slow disk, or the way to a database. */
export const WRITING = 5;
/** How often it is looked what others have written, in ms: as often as on PostgreSQL. */
const LOOK_EVERY = 250;

export const UNKNOWN = 'the database has failed in the middle of a commit';

/**
 * What a process of a simulated node keeps its data with. On slow storage all that is asked takes time, in which the process may
 * end or stand still; a database may be away, and fail before it has told what has become of a commit.
 */
export class SimulatedKeep implements Keep {
  /** Nobody asks a simulated node for triples, which would be the larger part of what it stores. */
  readonly holdsQuads = false;
  readonly #inner: Keep;
  readonly #storage: Storage;
  readonly #opener: Opener;
  /** When leases were taken: when the polls began, in virtual ms. */
  readonly #taken = new WeakMap<Lease, number>();

  constructor(inner: Keep, storage: Storage, opener: Opener) {
    this.#inner = inner;
    this.#storage = storage;
    this.#opener = opener;
  }

  get trouble(): Keep['trouble'] {
    return this.#storage.trouble;
  }

  async commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    const storage = this.#storage;
    await this.#reach();
    // What is going to be written, should nobody else write meanwhile.
    const foreseen = await decide({ head: since, rows: [] });
    if (isOfDocuments(foreseen?.rows)) this.#opener.onWrite();
    await this.#reach();
    const { failovers } = storage;
    let writes: Writes | undefined;
    const decided: Decide = async (changes) => {
      writes = await decide(changes);
      return writes;
    };
    const head = await this.#inner.commit(since, decided, lease);
    const begun = lease && this.#taken.get(lease);
    const reading = writes && storage.committed(writes.rows ?? [], begun);
    if (reading) this.#opener.committed(reading);
    await this.#wait();
    if (storage.failovers !== failovers) throw new OutcomeUnknown(UNKNOWN);
    return head;
  }

  exclusively: Keep['exclusively'] = async (task) => {
    await this.#reach();
    return this.#inner.exclusively(task);
  };

  async *rows(...asked: Parameters<Keep['rows']>): ReturnType<Keep['rows']> & AsyncGenerator {
    await this.#reach();
    yield* this.#inner.rows(...asked);
  }

  async get(...asked: Parameters<Keep['get']>): ReturnType<Keep['get']> {
    await this.#reach();
    return this.#inner.get(...asked);
  }

  async *quads(...asked: Parameters<Keep['quads']>): ReturnType<Keep['quads']> & AsyncGenerator {
    await this.#reach();
    yield* this.#inner.quads(...asked);
  }

  /** Looks again and again: a process that stands still, or has ended, must not notice anything. */
  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    for (let known = since; ; ) {
      await this.#opener.clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#storage.trouble || this.#storage.head.mark === known.mark) continue;
      for await (const part of this.#inner.tail(known, signal)) {
        yield part;
        known = part.head ?? known;
        break;
      }
    }
  }

  async lease(name: string): Promise<Lease | undefined> {
    await this.#reach();
    const lease = await this.#inner.lease(name);
    if (lease) this.#taken.set(lease, this.#storage.time.now);
    return lease;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** @throws KeepUnavailable */
  async #reach(): Promise<void> {
    await this.#wait();
    const { trouble } = this.#storage;
    if (this.#opener.isSlow && trouble) throw new KeepUnavailable(trouble.error);
  }

  async #wait(): Promise<void> {
    if (this.#opener.isSlow) await this.#opener.clock.sleep(WRITING);
  }
}
