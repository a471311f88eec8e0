import type { Clock } from '../lib/clock.js';
import type { Pace } from '../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from './checked-writes.js';
import { HeadUnknown, LeaseLost } from './faults.js';
import type { Decide, Head, Keep, Lease, Place, Reads, Row, SERVICES, Since } from './keep.js';

/** A lease of which nothing is heard for so long, in ms, ends by itself: others may take it. */
export const LEASE_LIFETIME = 15_000;
/** Several renewals fit into a lifetime, so that one that is late or fails does no harm. */
const RENEWAL = LEASE_LIFETIME / 5;

export type LeaseName = Pick<Lease, 'name' | 'fence'>;

/** What an engine does for one service, as `Keep` says. */
export interface Engine extends Reads, Pick<Keep, 'tail' | 'trouble'> {
  /** Runs a task while nobody writes but the task; perhaps again from its beginning. What it writes is on disk then. */
  turn<T>(task: (turn: Turn, head: Head) => Promise<T>): Promise<T>;
  /**
   * Takes a lease, or has it last a lifetime from now, or gives it back. False where somebody else has it. Errors of `renew` and
   * `release` are ignored: such a lease expires.
   */
  lease(how: 'take' | 'renew' | 'release', lease: LeaseName): Promise<boolean>;
}

/** What is stored, as somebody sees it who has a turn, and the heads that are remembered. */
export interface Turn extends Reads {
  /** Undefined for a version that is forgotten, or has never been. */
  markOf(version: number): Promise<string | undefined>;
  /** What commits behind a version have written but for quads, each row once, as it is now. */
  behind(version: number): AsyncIterable<readonly Row[]>;
  /** Nobody else takes the lease before the turn has ended. */
  holds(lease: LeaseName): Promise<boolean>;
  endLeases(): Promise<unknown>;
  /** Writes all of it, and the head, once in a turn. */
  write(writes: CheckedWrites, head: Head): Promise<void>;
}

type History = Pick<Turn, 'markOf' | 'behind'>;

/** What has been written since a head that somebody knows. @throws HeadUnknown */
export async function writtenSince(known: Head, now: Head, history: History): Promise<Since> {
  const rows: Row[] = [];
  if (known.mark === now.mark) return { head: now, rows };
  const mark = await history.markOf(known.version);
  if (mark !== known.mark) {
    const isForgotten = mark === undefined && known.version < now.version;
    // Where the epoch is another one, somebody else has noticed already.
    throw new HeadUnknown(!isForgotten && known.epoch === now.epoch);
  }
  // One by one: a hundred thousand are too many arguments.
  for await (const some of history.behind(known.version)) for (const row of some) rows.push(row);
  return { head: now, rows };
}

export interface EngineOptions {
  /** Of real time, but for what is in memory: no virtual clock hurries a server. Leases are renewed by it. */
  readonly clock: Clock;
  /** Draws epochs, marks and fences: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
  readonly pace: Pace;
}

interface PlaceParts extends EngineOptions, Pick<Place, 'isShared' | 'isQuadstore'> {
  /** Called once for each service, and again after it has failed. */
  readonly engine: (service: (typeof SERVICES)[number]) => Promise<Engine>;
  /** Called last. */
  readonly close: () => Promise<void>;
}

export function placeOf({ isShared, isQuadstore, engine, close, ...options }: PlaceParts): Place {
  const engines = new Map<string, Promise<Engine>>();
  const keeps: Keep[] = [];
  return {
    isShared,
    isQuadstore,
    async keep(service) {
      const opening = engines.get(service) ?? engine(service);
      engines.set(service, opening);
      opening.catch(() => engines.delete(service));
      const keep = keepOn(await opening, options);
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

/** A keep of one service: what is the same on every engine, which is deciding, following, holding leases and closing. */
function keepOn(engine: Engine, { clock, unique, pace }: EngineOptions): Keep {
  const closing = new AbortController();
  const commits = new Set<Promise<unknown>>();
  /** Each lease that is held, by what ends its renewals. */
  const leases = new Set<AbortController>();
  const opened = () => {
    closing.signal.throwIfAborted();
    return engine;
  };

  async function during<T>(commit: () => Promise<T>): Promise<T> {
    closing.signal.throwIfAborted();
    const running = commit();
    commits.add(running);
    try {
      return await running;
    } finally {
      commits.delete(running);
    }
  }

  async function committed(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    const head = await engine.turn(async (turn, now) => {
      const told = await writtenSince(since, now, turn).catch(async (error) => {
        if (!(error instanceof HeadUnknown && error.isNews)) throw error;
        // Whoever notices first that commits are lost begins another epoch.
        await turn.endLeases();
        await store(turn, NO_WRITES, { ...now, epoch: unique() });
      });
      if (!told) return undefined;
      if (lease && !(await turn.holds(lease))) throw new LeaseLost(lease.name);
      const writes = await decide(told);
      return writes ? store(turn, await checkedWrites(writes, pace()), now) : now;
    });
    if (!head) throw new HeadUnknown();
    return head;
  }

  async function store(turn: Turn, writes: CheckedWrites, { epoch, version }: Head): Promise<Head> {
    const head: Head = { epoch, version: version + 1, mark: unique() };
    await turn.write(writes, head);
    return head;
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
    get trouble() {
      return engine.trouble;
    },
    commit: (...asked) => during(() => committed(...asked)),
    exclusively: (task) =>
      during(() =>
        engine.turn(async (turn, now) => {
          const { result, ...writes } = await task(turn);
          const checked = await checkedWrites(writes, pace());
          if (!isNothing(checked)) await store(turn, checked, now);
          return result;
        }),
      ),
    get: async (...asked) => opened().get(...asked),
    tail: async (since) => opened().tail(since),
    async *rows(...asked) {
      yield* opened().rows(...asked);
    },
    async *quads(...asked) {
      yield* opened().quads(...asked);
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
