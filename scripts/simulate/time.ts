/** The time of a simulated network, and what it is for each of its processes. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/lib/clock.js';
import type { Timetable } from '../../src/lib/timetable.js';
import { onAbort, VirtualTime } from '../../test/support/virtual-time.js';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** When every simulation begins: a whole hour, ms since the Unix epoch. */
const BEGINNING = Date.UTC(2030, 0, 1);

/** What Node.js calls requests to the file system that are under way. */
const OF_FILES = /^(FSReq|CloseReq$)/;

/**
 * It goes on to the next event when all that the last one has set off is done. That is known
 * after one turn of the event loop, because nothing in a simulation waits for anything else than promises, but for files: a
 * package that is imported when it is needed first, or what a process reads when it starts.
 */
export class NetworkTime extends VirtualTime {
  constructor() {
    super(BEGINNING);
  }

  /** Ms since the beginning. */
  get elapsed(): number {
    return this.now - BEGINNING;
  }

  /** Lets time go on until something is done that takes time. Rejects as it does, and with what an event throws. */
  async goOnUntil<T>(done: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = done.finally(() => {
      isDone = true;
    });
    settled.catch(() => undefined);
    for (;;) {
      await turn();
      if (isDone) return settled;
      this.step();
    }
  }

  /** Lets time go on for so many ms. */
  goOn(ms: number): Promise<void> {
    return this.goOnUntil(this.sleep(ms));
  }
}

/** All that can be done at once is done then. */
async function turn(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().some((resource) => OF_FILES.test(resource)));
}

/**
 * The process of a node, as far as others have to know of it: nothing reaches it while it is paused, or once it has ended.
 * Its clock may be wrong by `offset` ms.
 */
export class Life {
  readonly clock: Clock;
  readonly #ending = new AbortController();
  /** What has come while it was paused, and is not done yet. */
  readonly #waiting: (() => void)[] = [];
  #isPaused = false;

  constructor(time: NetworkTime, offset: () => number) {
    setMaxListeners(0, this.ending);
    // Who sleeps, sleeps on while the process is paused, or has ended.
    const sleep: Clock['sleep'] = (ms, signal) => time.sleep(ms, signal, (goOn) => this.run(goOn));
    this.clock = { now: () => time.now + offset(), sleep };
  }

  /** Aborted when the process ends. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isAwake(): boolean {
    return !this.#isPaused && !this.ending.aborted;
  }

  /** Does what the process has to do: at once, or when it goes on. What comes first is done first. */
  run(action: () => void): void {
    if (this.ending.aborted) return;
    if (this.#isPaused) this.#waiting.push(action);
    else action();
  }

  /** Stands still until the function that is returned is called: what has come is done then, before anything else. */
  pause(): () => void {
    this.#isPaused = true;
    return () => {
      this.#isPaused = false;
      for (const action of this.#waiting.splice(0)) this.run(action);
    };
  }

  end(): void {
    this.#ending.abort(new Error('the process has ended'));
  }

  /** Resolves as some work of the process does, or with nothing when the process ends before. */
  unlessEnded<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const left = onAbort(this.ending, () => resolve(undefined));
      work.finally(left).then(resolve, reject);
    });
  }

  /** Polls at regular times of the clock, and a tick every second after `phase` ms, as `cronTimetable` in production. */
  timetable(interval: number, phase: number): Timetable {
    const { clock } = this;
    return {
      interval,
      next: () => (Math.floor(clock.now() / interval) + 1) * interval,
      start: (tick) => {
        const stopped = new AbortController();
        const again = () => {
          tick();
          later(SECOND);
        };
        const later = (ms: number) => void clock.sleep(ms, stopped.signal).then(again, () => undefined);
        later(phase);
        return () => stopped.abort();
      },
    };
  }
}
