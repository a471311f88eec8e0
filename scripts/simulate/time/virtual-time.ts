import { EventQueue, type ScheduledEvent } from './event-queue.js';

/** When every simulation begins: a whole hour, ms since the Unix epoch. */
export const BEGINNING = Date.UTC(2030, 0, 1);

/**
 * The time of a simulated network. It stands still while code runs, and jumps to the next event when all that the last one
 * has set off is done. That is known after one turn of the event loop, because nothing in a simulation waits for anything
 * else than promises, but for files: a package that is imported when it is needed first, or what a process reads when it
 * starts. Meanwhile time stands still, or a busy machine would have it pass further than a quiet one.
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

  /** Lets time pass until something is done that takes time. Rejects as it does. */
  async passUntil<T>(done: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = done.finally(() => {
      isDone = true;
    });
    settled.catch(() => undefined);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return settled;
      if (isReadingFiles()) continue;
      const next = this.#queue.nextTime;
      if (next !== undefined) await this.runUntil(next);
    }
  }

  /** Lets everything happen that is due up to this time. Rejects with what an event throws. */
  runUntil(time: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        if (isReadingFiles()) {
          setImmediate(step);
          return;
        }
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

/** What Node.js calls requests to the file system that are under way. */
const OF_FILES = /^(FSReq|CloseReq$)/;

function isReadingFiles(): boolean {
  return process.getActiveResourcesInfo().some((resource) => OF_FILES.test(resource));
}
