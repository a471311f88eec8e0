import type { Clock } from '../lib/clock.js';
import { KeepUnavailable } from './faults.js';
import type { Head, Keep, Lease, Place, Reads, SERVICES, TailPart } from './keep.js';

/** A lease of which nothing is heard for so long, in ms, ends by itself: others may take it. */
export const LEASE_LIFETIME = 15_000;
/** How often it is looked whether others have committed, in ms. */
const LOOKS = 250;
/** Several renewals fit into a lifetime, so that one that is late or fails does no harm. */
const RENEWAL = LEASE_LIFETIME / 5;

export type LeaseName = Pick<Lease, 'name' | 'fence'>;

/** What an engine does for one service, as `Keep` says. */
export interface Engine extends Reads, Pick<Keep, 'commit' | 'exclusively' | 'trouble' | 'holdsQuads'> {
  /** What has been written since a head; nothing when that is the present one. @throws HeadUnknown, KeepUnavailable */
  since(known: Head): AsyncIterable<TailPart>;
  /**
   * Takes a lease, or has it last a lifetime from now, or gives it back. False where somebody else has it. What it throws is passed
   * over but for `take`: a lease that is not renewed ends by itself.
   */
  lease(how: 'take' | 'renew' | 'release', lease: LeaseName): Promise<boolean>;
}

export interface EngineOptions {
  /** Of real time, but for what is in memory: no virtual clock hurries a server. Leases are renewed by it. */
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
      const keep = keepOn(await engine(service), options);
      keeps.push(keep);
      return keep;
    },
    async close() {
      await Promise.all(keeps.map((keep) => keep.close()));
      await close();
    },
  };
}

/** The head of a service that has never been here. */
export function firstHead(unique: () => string): Head {
  return { epoch: unique(), version: 0, mark: unique() };
}

/** A keep of one service: what is the same on every engine, which is closing, and holding leases. */
function keepOn(engine: Engine, { clock, unique }: EngineOptions): Keep {
  const closing = new AbortController();
  const commits = new Set<Promise<unknown>>();
  /** Each lease that is held, by what ends its renewals. */
  const leases = new Set<AbortController>();
  const opened = () => {
    closing.signal.throwIfAborted();
    return engine;
  };

  async function during<T>(commit: (engine: Engine) => Promise<T>): Promise<T> {
    const running = commit(opened());
    commits.add(running);
    try {
      return await running;
    } finally {
      commits.delete(running);
    }
  }

  /** While a database is away for long, leases end. Where others take them then, commits fail with LeaseLost. */
  async function renew(lease: LeaseName, { signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      // Rejects when the lease is given back or the keep is closed.
      await clock.sleep(RENEWAL, signal).catch(() => undefined);
      if (!signal.aborted) await engine.lease('renew', lease).catch(() => undefined);
    }
  }

  return {
    holdsQuads: engine.holdsQuads,
    get trouble() {
      return engine.trouble;
    },
    commit: (...asked) => during((open) => open.commit(...asked)),
    exclusively: (task) => during((open) => open.exclusively(task)),
    get: async (...asked) => opened().get(...asked),
    async *rows(...asked) {
      yield* opened().rows(...asked);
    },
    async *quads(...asked) {
      yield* opened().quads(...asked);
    },
    async *tail(since, signal) {
      const ended = AbortSignal.any([signal, closing.signal]);
      for (let known = since; !ended.aborted; ) {
        try {
          for await (const part of engine.since(known)) {
            if (ended.aborted) return;
            yield part;
            known = part.head ?? known;
          }
        } catch (error) {
          if (ended.aborted) return;
          // The trouble of the keep tells of it; after a while the database answers again.
          if (!(error instanceof KeepUnavailable)) throw error;
        }
        // Rejects when the tail is ended.
        await clock.sleep(LOOKS, ended).catch(() => undefined);
      }
    },
    async lease(name) {
      const named = { name, fence: unique() };
      if (!(await opened().lease('take', named))) return undefined;
      const ending = new AbortController();
      leases.add(ending);
      void renew(named, ending);
      const release = async () => {
        ending.abort();
        leases.delete(ending);
        await engine.lease('release', named).catch(() => undefined);
      };
      return { ...named, release };
    },
    async close() {
      closing.abort(new Error('The keep is closed'));
      for (const lease of leases) lease.abort();
      await Promise.allSettled(commits);
    },
  };
}
