import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Clock } from '../clock.js';
import type { Hop, Trust } from './hop.js';

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

/** One name for a host and its port: a dot at the end means nothing (RFC 1034, section 3.1). */
function hostKey({ host }: URL): string {
  return host.replace(/\.(?=:|$)/, '');
}

/**
 * What a request waits for at its host. `named`: for a slot, and where strangers have named the URL, until the host has been
 * spared for long enough. `listed`: for a slot alone, because the host itself has named the URL. `none`: for nothing,
 * because it stays open, or because another request waits for it.
 */
export type Turn = 'named' | 'listed' | 'none';

/**
 * How a host is spared what strangers name of it: so many requests may come at once, then one in so many ms. For how many
 * hosts it is remembered when they were asked.
 */
const SPARED = { burst: 60, each: 1000, hosts: 10_000 } as const;

/**
 * Bounds what this node asks of one host: how much at once, and for strangers how often. Resolves, when it is a request's
 * turn, with what gives the slot back, which may be called more than once; rejects with the reason of the signal.
 */
export function hostTurns(perHost: number, clock: Clock) {
  const queues = new HostQueues(perHost);
  /** When each host will have been spared for all that it was asked for, in ms since the epoch. */
  const spared = new LRUCache<string, number>({ max: SPARED.hosts });
  /** With a slot: no other request for learned URLs waits here for the same host, where there are two slots. */
  const spare = async (host: string, signal: AbortSignal | undefined) => {
    const { burst, each } = SPARED;
    const now = clock.now();
    // A time further away was noted before the clock was set back.
    const until = Math.min(Math.max(spared.get(host) ?? 0, now) + each, now + (burst + 1) * each);
    spared.set(host, until);
    const wait = until - now - burst * each;
    if (wait > 0) await clock.sleep(wait, signal);
  };
  return ({ url, trust }: Hop, turn: Turn, signal: AbortSignal | undefined): Promise<() => void> =>
    new Promise((resolve, reject) => {
      if (turn === 'none' || perHost === Number.POSITIVE_INFINITY) return resolve(() => undefined);
      const task = async () => {
        if (trust === 'learned' && turn === 'named') await spare(hostKey(url), signal);
        await new Promise<void>((leave) => resolve(leave));
      };
      queues.run(url.href, task, trust, signal).catch(reject);
    });
}
