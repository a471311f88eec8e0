import PQueue from 'p-queue';

/** Runs tasks, only so many at once for each host; the others wait in the order they came. */
export class HostQueues {
  readonly #queues = new Map<string, PQueue>();

  constructor(readonly perHost: number) {}

  /** Resolves or rejects as the task does. Hosts differ by their port too. */
  run<T>(url: string, task: () => Promise<T>): Promise<T> {
    const { host } = new URL(url);
    return (this.#queues.get(host) ?? this.#open(host)).add(task);
  }

  /** Hosts come and go: a queue lives only as long as there is work in it. */
  #open(host: string): PQueue {
    const queue = new PQueue({ concurrency: this.perHost });
    queue.on('idle', () => this.#queues.delete(host));
    this.#queues.set(host, queue);
    return queue;
  }
}
