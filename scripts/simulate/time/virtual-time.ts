import type { Clock } from '../../../src/lib/clock.js';
import { EventQueue, type ScheduledEvent } from './event-queue.js';

/** When every simulation begins: a whole hour, ms since the Unix epoch. */
export const BEGINNING = Date.UTC(2030, 0, 1);

/**
 * The time of a simulated network. It stands still while code runs, and jumps to the next event when all that the last one
 * has set off is done. That is known after one turn of the event loop, because nothing in a simulation waits for anything
 * else than promises: no file, no socket, no thread.
 */
export class VirtualTime {
  readonly #queue = new EventQueue();
  #now = BEGINNING;
  #events = 0;

  /** Ms since the Unix epoch. */
  get now(): number {
    return this.#now;
  }

  /** Ms since the beginning. */
  get elapsed(): number {
    return this.#now - BEGINNING;
  }

  /** Events that have happened. */
  get events(): number {
    return this.#events;
  }

  /** Events that are scheduled. */
  get waiting(): number {
    return this.#queue.size;
  }

  after(ms: number, action: () => void): ScheduledEvent {
    return this.#queue.add(this.#now + Math.max(0, Math.ceil(ms)), action);
  }

  cancel(event: ScheduledEvent): void {
    this.#queue.cancel(event);
  }

  /** Lets everything happen that is due up to this time. Rejects with what an event throws. */
  runUntil(time: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        const event = this.#queue.next(time);
        if (!event) {
          this.#now = Math.max(this.#now, time);
          return resolve();
        }
        this.#now = event.time;
        this.#events += 1;
        try {
          event.action();
        } catch (error) {
          return reject(error);
        }
        setImmediate(step);
      };
      // What was begun before is done first.
      setImmediate(step);
    });
  }
}

/** What ends with the process of a node. */
export interface Life {
  isOver: boolean;
}

/** The clock of one node, which may be wrong by `offset` ms, and whose sleepers sleep on when the node has died. */
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
        signal?.removeEventListener('abort', stop);
        if (!this.#life.isOver) resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}
