import type { Clock } from '../../src/lib/clock.js';
import type { Timetable } from '../../src/sync/timetable.js';

/** Time that passes when the test says so. */
export class VirtualClock implements Clock {
  readonly #sleepers = new Set<{ until: number; wake: () => void }>();

  constructor(private time = 1_800_000_000_000) {}

  now(): number {
    return this.time;
  }

  /** How many sleep at present. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper = { until: this.time + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Moves the time and wakes those whose sleep is over. */
  pass(ms: number): void {
    this.time += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.time) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** Regular polls on a virtual clock; the scheduler's ticks are the test's. */
export class VirtualTimetable implements Timetable {
  tick: () => void = () => undefined;
  started = false;

  constructor(
    readonly clock: Clock,
    readonly interval: number,
  ) {}

  next(): number {
    return (Math.floor(this.clock.now() / this.interval) + 1) * this.interval;
  }

  start(tick: () => void): () => void {
    this.tick = tick;
    this.started = true;
    return () => {
      this.started = false;
      this.tick = () => undefined;
    };
  }
}
