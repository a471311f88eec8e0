import type { Clock } from '../../../src/lib/clock.js';
import type { Life } from './life.js';
import type { VirtualTime } from './virtual-time.js';

/** The clock of one process, which may be wrong by `offset` ms; its sleepers sleep on while the process is paused, or has ended. */
export class NodeClock implements Clock {
  readonly #time: VirtualTime;
  readonly #life: Life;
  readonly #offset: () => number;

  constructor(time: VirtualTime, life: Life, offset: () => number = () => 0) {
    this.#time = time;
    this.#life = life;
    this.#offset = offset;
  }

  now(): number {
    return this.#time.now + this.#offset();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        this.#time.cancel(event);
        reject(signal?.reason);
      };
      const event = this.#time.after(ms, () => {
        this.#life.run(() => {
          signal?.removeEventListener('abort', stop);
          resolve();
        });
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}
