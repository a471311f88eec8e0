import type { Trust } from './hop.js';
import { TrustQueue } from './trust-queue.js';

/** One name for a host and its port: a dot at the end means nothing (RFC 1034, section 3.1). */
export function hostKey({ host }: URL): string {
  return host.replace(/\.(?=:|$)/, '');
}

/** Runs tasks, only so many at once for each host; the others wait, configured sources before learned ones. */
export class HostQueues {
  readonly #queues = new Map<string, TrustQueue>();

  constructor(readonly perHost: number) {}

  /** See `TrustQueue.run`. Hosts differ by their port too. */
  run<T>(url: string, task: () => Promise<T>, trust: Trust = 'configured', signal?: AbortSignal): Promise<T> {
    const host = hostKey(new URL(url));
    return (this.#queues.get(host) ?? this.#open(host)).run(task, trust, signal);
  }

  /** Hosts come and go: a queue lives only as long as there is work in it. */
  #open(host: string): TrustQueue {
    const queue = new TrustQueue(this.perHost);
    queue.onIdle(() => {
      if (this.#queues.get(host) === queue) this.#queues.delete(host);
    });
    this.#queues.set(host, queue);
    return queue;
  }
}
