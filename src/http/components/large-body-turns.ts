import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import { announcedBytes } from '../../lib/http/request/request-body.js';
import { PoolBusy } from '../../lib/pool/task.js';

/** Bytes from which on a body waits for its turn: what is made of it takes several times its own memory. */
const LARGE = 100_000;
/** Bytes of large bodies that are on their way, or in memory, at a time; and of those that something is made of. */
const ROOM = { reading: 16_000_000, working: 2_500_000 } as const;
/** Requests whose bodies are not read yet. Until then the system that sends them holds them, and not this node. */
const MOST_WAITING = 64;
/** How long a large body may take to come in, in ms: others wait for its room meanwhile. */
const allowedMs = (bytes: number) => 10_000 + bytes / 100;

interface LargeBodyTurnsOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Bytes of a body, at most. */
  readonly limit: number;
  /** Bytes of large bodies that are on their way, or in memory, at a time. */
  readonly room?: number;
}

/** Reads the body of a request, and does something with it. */
type LargeBodyTurns = <Body, T>(
  request: Request,
  read: () => Promise<Body>,
  task: (body: Body) => Promise<T>,
) => Promise<T>;

/**
 * Large bodies are read when there is room for them, those of others at once; so that a few that come slowly hinder nobody, there is
 * room for more to come in than to work on. Rejects with PoolBusy when too many wait, with Problem 408 for a large body that does not
 * come in time.
 */
export function largeBodyTurns({ clock, limit, room = ROOM.reading }: LargeBodyTurnsOptions): LargeBodyTurns {
  const [reading, working] = [new ByteSemaphore(room), new ByteSemaphore(ROOM.working)];
  return async (request, read, task) => {
    const bytes = announcedBytes(request) ?? limit;
    const { signal } = request;
    // What is too large is refused without being read.
    if (bytes < LARGE || bytes > limit) return task(await read());
    if (reading.waiting >= MOST_WAITING) throw new PoolBusy();
    return reading.run(bytes, signal, async () => {
      const body = await within(allowedMs(bytes), read, clock);
      return working.run(bytes, signal, () => task(body));
    });
  };
}

/** Tasks run side by side, in the order in which they come, as long as there is room for their bytes; a larger one runs alone. */
class ByteSemaphore {
  #free: number;
  readonly #queue = new Set<{ readonly bytes: number; readonly begin: () => void }>();

  constructor(private readonly all: number) {
    this.#free = all;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Rejects with the reason of the signal when that is aborted before the task has begun; one that has begun keeps its room. */
  async run<T>(asked: number, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const bytes = Math.min(asked, this.all);
    await new Promise<void>((resolve, reject) => {
      const one = { bytes, begin: resolve };
      this.#queue.add(one);
      signal.addEventListener('abort', () => {
        if (this.#queue.delete(one)) reject(signal.reason);
        this.#beginNext();
      });
      this.#beginNext();
    });
    try {
      return await task();
    } finally {
      this.#free += bytes;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (const one of this.#queue) {
      if (one.bytes > this.#free) return;
      this.#queue.delete(one);
      this.#free -= one.bytes;
      one.begin();
    }
  }
}

async function within<T>(ms: number, read: () => Promise<T>, clock: Pick<Clock, 'sleep'>): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => {
    const why = `The body has not come within ${Math.round(ms / 1000)} s; send it in parts, or by a faster connection`;
    throw new Problem(408, why);
  });
  try {
    return await Promise.race([read(), late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
