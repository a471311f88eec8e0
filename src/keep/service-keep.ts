import type { Clock } from '../lib/clock.js';
import type { Decide, Head, Keep, Lease, Place, Reads, SERVICES, TailPart } from './keep.js';

/** A lease of which nothing is heard for so long, in ms, ends by itself: others may take it. */
export const LEASE_LIFETIME = 15_000;
/**
 * A lease that ends so much later, in ms, was taken before the clock was set back, and counts as ended. The margin is wide: what a
 * database calls now is when a transaction began, and another one may have taken a lease since.
 */
export const IMPOSSIBLE_LEASE = 10 * LEASE_LIFETIME;
/** Several renewals fit into a lifetime, so that one that is late or fails does no harm. */
const RENEWAL = LEASE_LIFETIME / 5;

export type LeaseName = Pick<Lease, 'name' | 'fence'>;

/** What an engine does for one service, as `Keep` says; its tails end with the signal alone. */
export interface Engine
  extends Reads,
    Pick<Keep, 'commit' | 'exclusively' | 'tail' | 'trouble' | 'holdsQuads'> {
  /** False while somebody else has it. */
  takeLease(lease: LeaseName): Promise<boolean>;
  /** Has these leases last a lifetime from now. What it throws is passed over: it is tried again soon. */
  renewLeases(leases: readonly LeaseName[]): Promise<void>;
  /** What it throws is passed over: the lease ends by itself then. */
  releaseLease(lease: LeaseName): Promise<void>;
}

export interface EngineOptions {
  /** When leases are renewed. */
  readonly clock: Clock;
  /** Draws epochs, marks and fences: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
}

export interface PlaceParts extends EngineOptions {
  readonly isShared: boolean;
  readonly engine: (service: (typeof SERVICES)[number]) => Promise<Engine>;
  /** Called last. */
  readonly close: () => Promise<void>;
}

export function placeOf({ isShared, engine, close, ...options }: PlaceParts): Place {
  const keeps: Keep[] = [];
  return {
    isShared,
    async keep(service) {
      const keep = new ServiceKeep(await engine(service), options);
      keeps.push(keep);
      return keep;
    },
    async close() {
      await Promise.all(keeps.map((keep) => keep.close()));
      await close();
    },
  };
}

/** A keep of one service: what is the same on every engine, which is closing, and holding leases. */
class ServiceKeep implements Keep {
  readonly #engine: Engine;
  readonly #options: EngineOptions;
  readonly #closing = new AbortController();
  readonly #commits = new Set<Promise<unknown>>();
  /** They are renewed until they are given back or the keep is closed. */
  readonly #leases = new Set<Lease>();
  #isRenewing = false;

  constructor(engine: Engine, options: EngineOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  get trouble(): Keep['trouble'] {
    return this.#engine.trouble;
  }

  get holdsQuads(): boolean {
    return this.#engine.holdsQuads;
  }

  commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    return this.#during(() => this.#engine.commit(since, decide, lease));
  }

  exclusively: Keep['exclusively'] = (task) => this.#during(() => this.#engine.exclusively(task));

  async *rows(...asked: Parameters<Keep['rows']>): ReturnType<Keep['rows']> & AsyncGenerator {
    this.#refuseClosed();
    yield* this.#engine.rows(...asked);
  }

  async get(...asked: Parameters<Keep['get']>): ReturnType<Keep['get']> {
    this.#refuseClosed();
    return this.#engine.get(...asked);
  }

  async *quads(...asked: Parameters<Keep['quads']>): ReturnType<Keep['quads']> & AsyncGenerator {
    this.#refuseClosed();
    yield* this.#engine.quads(...asked);
  }

  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    this.#refuseClosed();
    yield* this.#engine.tail(since, AbortSignal.any([signal, this.#closing.signal]));
  }

  async lease(name: string): Promise<Lease | undefined> {
    this.#refuseClosed();
    const fence = this.#options.unique();
    if (!(await this.#engine.takeLease({ name, fence }))) return undefined;
    const lease: Lease = {
      name,
      fence,
      release: async () => {
        this.#leases.delete(lease);
        await this.#engine.releaseLease(lease).catch(() => undefined);
      },
    };
    this.#leases.add(lease);
    if (!this.#isRenewing) void this.#renewLeases();
    return lease;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The keep is closed'));
    this.#leases.clear();
    await Promise.allSettled(this.#commits);
  }

  async #renewLeases(): Promise<void> {
    this.#isRenewing = true;
    while (this.#leases.size > 0) {
      // Rejects only when the keep is being closed; then no lease is left.
      await this.#options.clock.sleep(RENEWAL, this.#closing.signal).catch(() => undefined);
      // While a database is away for long, leases end. Where others take them then, commits fail with LeaseLost.
      if (this.#leases.size > 0) await this.#engine.renewLeases([...this.#leases]).catch(() => undefined);
    }
    this.#isRenewing = false;
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
    this.#closing.signal.throwIfAborted();
  }
}
