import type { Config } from '../../../src/config.js';
import type { Random } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import type { Log } from '../../../src/lib/log.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { ClosablePool } from '../../../src/lib/pool/task.js';
import type { Given } from '../../../src/node/given.js';
import { createNode, type Node } from '../../../src/node.js';
import type { Registry } from '../../../src/registry/registry.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { PINNING_TIMES } from '../../../src/sync/pinning/pinner.js';
import type { VirtualNetwork } from '../network/virtual-network.js';
import type { VirtualServer } from '../network/wire.js';
import { Life } from '../time/life.js';
import { NodeClock } from '../time/node-clock.js';
import { regularTimetable } from '../time/regular-timetable.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { listenVirtually } from './in-process-server.js';
import type { Committed, Storage } from './storage.js';

const MINUTE = 60_000;

export interface ProcessParts {
  /** Of its machine; processes of one node share it. */
  readonly host: string;
  readonly storage: Storage;
  readonly intervalMinutes: number;
  readonly time: VirtualTime;
  readonly network: VirtualNetwork;
  readonly pool: ClosablePool;
  readonly log: Log;
  readonly random: Random;
  readonly config: () => Config;
  /** How wrong its clock is, in ms. */
  readonly clockOffset: () => number;
  /** Told when it begins to answer, or does so no more. */
  readonly serves: () => void;
  readonly committed: (committed: Committed) => void;
}

interface Running {
  readonly node: Node;
  readonly life: Life;
  registry?: Registry;
  server?: VirtualServer | undefined;
}

/** A node with all its parts, as production composes them, on a virtual machine: it can be crashed and paused. */
export class SimulatedProcess {
  readonly #parts: ProcessParts;
  #running: Running | undefined;
  #inNextWrite: (() => void) | undefined;
  readonly #forged = new WeakSet<SourceChange>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Does it do anything, and is not paused? */
  get isAwake(): boolean {
    return this.#running?.life.isPaused === false;
  }

  /** What answers requests; none before it has loaded its data. */
  get server(): VirtualServer | undefined {
    return this.#running?.server;
  }

  async start(): Promise<void> {
    if (this.#running) return;
    const life = new Life();
    const running: Running = { life, node: createNode(this.#parts.config(), this.#given(life)) };
    this.#running = running;
    await this.#while(running, running.node.start());
  }

  /** Something happens in the middle of the next write of documents, when nothing of it is stored yet. */
  inNextWrite(happens: () => void): void {
    this.#inNextWrite = happens;
  }

  /** The process ends at this instant, wherever it is; what is stored stays. */
  crash(): void {
    this.#inNextWrite = undefined;
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.life.end();
    this.#parts.serves();
  }

  /** Stops it as an operator does. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    // A process that is killed while it stops stops no more.
    await this.#while(running, running.node.stop());
    if (this.#running === running) this.crash();
  }

  /** It stands still at this instant, wherever it is, until the function that is returned is called. */
  pause(): () => void {
    const life = this.#running?.life;
    life?.pause();
    return () => life?.goOn(this.#parts.time);
  }

  /** Stores something as if it had been read: only what breaks rules on purpose goes past the node itself. */
  async forge(change: SourceChange): Promise<void> {
    const running = this.#running;
    const { registry } = running ?? {};
    if (!running || !registry) return;
    this.#forged.add(change);
    await this.#while(
      running,
      registry.source(change.source).then(() => registry.commit(change)),
    );
  }

  /** Waits until something is done, or the process has ended. */
  async #while(running: Running, work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const left = running.life.atEnd(resolve);
      work
        .finally(left)
        .then(() => resolve())
        .catch(reject);
    });
  }

  #given(life: Life): Given {
    const { time, network, pool, log, random, intervalMinutes, host, storage } = this.#parts;
    const clock = new NodeClock(time, life, this.#parts.clockOffset);
    const onWrite = () => {
      const happens = this.#inNextWrite;
      this.#inNextWrite = undefined;
      if (!life.isOver) happens?.();
    };
    const committed = (one: Committed) => {
      if (!this.#forged.has(one.change)) this.#parts.committed(one);
    };
    const store = storage.open({
      ...{ life, clock, now: () => time.now, random, onWrite },
      committed,
    });
    const serve = (server: VirtualServer | undefined) => {
      if (this.#running?.life !== life) return;
      this.#running.server = server;
      this.#parts.serves();
    };
    return {
      ...{ clock, random, log, pace: withoutPause, lookup: network.lookup, pool: () => pool },
      pinningTimes: PINNING_TIMES,
      processMetrics: false,
      openStore: async () => ({
        ...{ shared: store.shared, close: () => store.close() },
        get trouble() {
          return store.trouble;
        },
        load: async (options) => {
          const open = await store.load(options);
          if (this.#running?.life === life) this.#running.registry = open.registry;
          return open;
        },
      }),
      openRecords: async () => {
        throw new Error('a simulated node has no connection service');
      },
      fetch: (options) =>
        createGuardedFetch({ ...options, clock, transport: network.transportOf(host, life) }),
      timetable: () => regularTimetable(intervalMinutes * MINUTE, { time, clock, life, phase: random() }),
      listen: listenVirtually({ life, open: serve, close: () => serve(undefined) }),
    };
  }
}
