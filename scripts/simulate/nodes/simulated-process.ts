import type { Config } from '../../../src/config.js';
import type { Random } from '../../../src/lib/clock.js';
import { OutcomeUnknown, StoreUnavailable } from '../../../src/lib/faults.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import type { Log } from '../../../src/lib/log.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { ClosablePool } from '../../../src/lib/pool/task.js';
import type { Given } from '../../../src/node/given.js';
import { createNode, type Node } from '../../../src/node.js';
import { PINNING_TIMES } from '../../../src/sync/pinning/pinner.js';
import type { VirtualNetwork } from '../network/virtual-network.js';
import type { VirtualServer } from '../network/wire.js';
import { Life } from '../time/life.js';
import { NodeClock } from '../time/node-clock.js';
import { regularTimetable } from '../time/regular-timetable.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { listenVirtually } from './in-process-server.js';
import type { Storage } from './storage.js';
import type { Reading } from './stored.js';

const MINUTE = 60_000;
/** Ms until a process that could not start is started again. */
const START_AGAIN = 5_000;

export interface ProcessParts {
  /** Of its machine; processes of one node share it. */
  readonly host: string;
  readonly storage: Storage;
  /** See `Opener`. */
  readonly isSlow: boolean;
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
  readonly committed: (reading: Reading) => void;
}

interface Running {
  readonly node: Node;
  readonly life: Life;
  server?: VirtualServer | undefined;
}

/** A node with all its parts, as production composes them, on a virtual machine: it can be crashed and paused. */
export class SimulatedProcess {
  readonly #parts: ProcessParts;
  #running: Running | undefined;
  #inNextWrite: (() => void) | undefined;

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

  /** For how long it has done what it has to do, in ms; 0 while it does not. */
  get awakeFor(): number {
    const { time } = this.#parts;
    return this.isAwake && this.#running ? time.now - this.#running.life.awakeSince : 0;
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
    await this.#while(
      running,
      running.node.start().catch((error) => this.#startAgain(running, error)),
    );
  }

  /** As whoever runs the process does, where its database was away when it started. */
  async #startAgain(running: Running, error: unknown): Promise<void> {
    if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error;
    if (this.#running !== running) return;
    this.crash();
    await new Promise<void>((resolve) => this.#parts.time.after(START_AGAIN, resolve));
    await this.start();
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
    const { time, network, pool, log, random, intervalMinutes, host } = this.#parts;
    const { storage, isSlow, committed } = this.#parts;
    const clock = new NodeClock(time, life, this.#parts.clockOffset);
    const onWrite = () => {
      const happens = this.#inNextWrite;
      this.#inNextWrite = undefined;
      if (!life.isOver) happens?.();
    };
    const serve = (server: VirtualServer | undefined) => {
      if (this.#running?.life !== life) return;
      this.#running.server = server;
      this.#parts.serves();
    };
    return {
      ...{ clock, random, log, pace: withoutPause, lookup: network.lookup, pool: () => pool },
      pinningTimes: PINNING_TIMES,
      processMetrics: false,
      openPlace: async () => storage.open({ clock, isSlow, onWrite, committed }),
      fetch: (options) =>
        createGuardedFetch({ ...options, clock, transport: network.transportOf(host, life) }),
      timetable: () => regularTimetable(intervalMinutes * MINUTE, { time, clock, life, phase: random() }),
      listen: listenVirtually({ life, open: serve, close: () => serve(undefined) }),
    };
  }
}
