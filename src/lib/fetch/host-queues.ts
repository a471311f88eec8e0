import PQueue from 'p-queue';
import { hostKey, type Trust } from './hop.js';

/**
 * So many tasks at once. Those for learned sources get at most half of the slots, and wait behind those for configured ones:
 * what strangers made known cannot keep what the operator asked for waiting, however slow it is. A single slot cannot be
 * reserved; there, only the order holds.
 */
class Slots {
  readonly all: PQueue;
  readonly #learned: PQueue;
  /** Tasks that wait or run. */
  tasks = 0;

  constructor(slots: number) {
    this.all = new PQueue({ concurrency: slots });
    this.#learned = new PQueue({ concurrency: Math.max(1, Math.floor(slots / 2)) });
  }

  run<T>(task: () => Promise<T>, trust: Trust, signal?: AbortSignal): Promise<T> {
    if (trust === 'configured') return this.all.add(task, { priority: 1, signal });
    return this.#learned.add(() => this.all.add(task, { signal }), { signal });
  }
}

/**
 * Runs tasks, only so many at once for each host, and in all. The host's turn comes first: a slow host keeps its own tasks
 * waiting, and no others.
 */
export class HostQueues {
  readonly #perHost: number;
  readonly #all: Slots;
  /** A host is remembered only as long as there is work for it. */
  readonly #hosts = new Map<string, Slots>();

  constructor(perHost: number, all = Number.POSITIVE_INFINITY) {
    this.#perHost = perHost;
    this.#all = new Slots(all);
  }

  /** Tasks that run now. */
  get running(): number {
    return this.#all.all.pending;
  }

  /** Resolves or rejects as the task does; with the reason of the signal when that is aborted, which gives the slot back. */
  async run<T>(
    url: string,
    task: () => Promise<T>,
    trust: Trust = 'configured',
    signal?: AbortSignal,
  ): Promise<T> {
    const host = hostKey(new URL(url));
    const slots = this.#hosts.get(host) ?? new Slots(this.#perHost);
    this.#hosts.set(host, slots);
    slots.tasks += 1;
    try {
      return await slots.run(() => this.#all.run(task, trust, signal), trust, signal);
    } finally {
      slots.tasks -= 1;
      if (slots.tasks === 0) this.#hosts.delete(host);
    }
  }
}
