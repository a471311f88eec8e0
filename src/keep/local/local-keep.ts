import type { Clock } from '../../lib/clock.js';
import { HeldLeases } from '../held-leases.js';
import type { Decide, Head, Keep, Lease, TailPart } from '../keep.js';
import type { LocalService } from './local-service.js';

/** One of the keeps of a service whose data is in this process alone. `clock`: when leases are renewed. */
export class LocalKeep implements Keep {
  readonly holdsQuads = true;
  readonly #service: LocalService;
  readonly #leases: HeldLeases;
  readonly #closing = new AbortController();
  readonly #commits = new Set<Promise<unknown>>();

  constructor(service: LocalService, clock: Clock) {
    this.#service = service;
    this.#leases = new HeldLeases({
      clock,
      renew: async (leases) => {
        for (const lease of leases) service.renewLease(lease);
      },
    });
  }

  get trouble(): Keep['trouble'] {
    return this.#service.store.trouble;
  }

  commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    return this.#during(() => this.#service.commit(since, decide, lease));
  }

  exclusively: Keep['exclusively'] = (task) => this.#during(() => this.#service.exclusively(task));

  async *rows(...asked: Parameters<Keep['rows']>): ReturnType<Keep['rows']> & AsyncGenerator {
    this.#refuseClosed();
    yield* this.#service.store.rows(...asked);
  }

  async get(...asked: Parameters<Keep['get']>): ReturnType<Keep['get']> {
    this.#refuseClosed();
    return this.#service.store.get(...asked);
  }

  async *quads(...asked: Parameters<Keep['quads']>): ReturnType<Keep['quads']> & AsyncGenerator {
    this.#refuseClosed();
    yield* this.#service.store.quads(...asked);
  }

  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    this.#refuseClosed();
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    for (let known = since; ; ) {
      const { head, rows } = await this.#service.changesSince(known);
      if (ended.aborted) return;
      if (head.mark !== known.mark) yield { rows, head };
      known = head;
      await this.#service.headAfter(known, ended);
      if (ended.aborted) return;
    }
  }

  async lease(name: string): Promise<Lease | undefined> {
    this.#refuseClosed();
    const fence = this.#service.takeLease(name);
    if (fence === undefined) return undefined;
    const lease: Lease = {
      name,
      fence,
      release: async () => {
        this.#leases.delete(lease);
        this.#service.releaseLease(lease);
      },
    };
    this.#leases.add(lease);
    return lease;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#leases.close();
    await Promise.allSettled(this.#commits);
  }

  async #during<T>(commit: () => Promise<T>): Promise<T> {
    this.#refuseClosed();
    const running = commit();
    this.#commits.add(running);
    try {
      return await running;
    } finally {
      this.#commits.delete(running);
    }
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new Error('The keep is closed');
  }
}
