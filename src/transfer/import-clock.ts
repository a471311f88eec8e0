import type { Clock } from '../lib/clock.js';

/**
 * The clock of a registry into which a file is imported: it shows the time at which a statement was said first, so that this
 * does not become the time of the import.
 */
export class ImportClock implements Clock {
  readonly #clock: Clock;
  /** ms since the Unix epoch. */
  at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.at;
  }

  /** From now on it is the time of the import. */
  showPresent(): void {
    this.at = this.#clock.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
