import type { Clock } from '../../lib/clock.js';
import { networkOf } from '../../lib/fetch/address.js';
import { Problem } from '../../lib/http/problem.js';

/** How many streams are written to at a time, and how often, in ms: 250 a second (design, section 12). */
const BATCH = { streams: 25, every: 100 };
/** How often each stream gets a comment at least, in ms, so that both sides notice when the other has gone. */
const COMMENT_EVERY = 60_000;
/** When a follower that was refused should try again, in seconds. */
const RETRY_AFTER = 60;

const COMMENT = ':\n\n';

/** One network (`networkOf`) can have so much of all streams. */
const SHARE = 1 / 10;

interface EventStreamsOptions {
  readonly clock: Clock;
  /** Streams that are open at once, at most. */
  readonly most: number;
}

/**
 * The streams of server-sent events on which a node tells its followers its cursor, whenever that moves. It is a hint, not
 * data: a follower that has missed ten gets the last one. A change is told to all streams in turn, so many a second, so that a
 * thousand followers do not ask for it at once, and some hear of it immediately.
 */
export class EventStreams {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #stop = new AbortController();
  /** With the network of each follower, if it has one. */
  readonly #open = new Map<EventStream, string | undefined>();
  /** Those that are to be told the cursor, or to get a comment where they know it: who has waited longest is first. */
  readonly #waiting = new Set<EventStream>();
  /** Empty while the node loads. */
  #cursor = '';
  #isWriting = false;
  #isCommenting = false;

  constructor({ clock, most }: EventStreamsOptions) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Streams that are open. */
  get count(): number {
    return this.#open.size;
  }

  /** Says what the cursor is, at first and whenever it has moved. */
  moved(cursor: string): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#writeToAll();
  }

  /**
   * Opens a stream; it closes when its follower goes. `last`: the cursor that the follower was told last (`Last-Event-ID`); if it
   * is not the current one, the follower is told in its turn. `address`: of the follower.
   * @throws Problem 503 when no more streams can be open
   */
  open(last: string | undefined, address?: string): AsyncIterable<string> {
    const network = networkOf(address);
    if (this.#stop.signal.aborted || !this.#hasRoomFor(network)) {
      const why = 'As many streams of events are open as this node allows; ask for the feed itself meanwhile';
      throw new Problem(503, why, { headers: { 'retry-after': String(RETRY_AFTER) } });
    }
    const stream = new EventStream(last, () => {
      this.#open.delete(stream);
      this.#waiting.delete(stream);
    });
    this.#open.set(stream, network);
    if (last !== this.#cursor) this.#waiting.add(stream);
    void this.#write();
    void this.#comment();
    return stream;
  }

  close(): void {
    this.#stop.abort();
    for (const stream of this.#open.keys()) stream.end();
  }

  #hasRoomFor(network: string | undefined): boolean {
    if (this.#open.size >= this.#most) return false;
    if (network === undefined) return true;
    const own = [...this.#open.values()].filter((one) => one === network).length;
    return own < Math.max(1, Math.floor(this.#most * SHARE));
  }

  #writeToAll(): void {
    for (const stream of this.#open.keys()) this.#waiting.add(stream);
    void this.#write();
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      for (const stream of [...this.#waiting].slice(0, BATCH.streams)) {
        this.#waiting.delete(stream);
        stream.tell(this.#cursor);
      }
      await this.#pause(BATCH.every);
    }
    this.#isWriting = false;
  }

  async #comment(): Promise<void> {
    if (this.#isCommenting) return;
    this.#isCommenting = true;
    while (this.#open.size > 0 && !this.#stop.signal.aborted) {
      await this.#pause(COMMENT_EVERY);
      this.#writeToAll();
    }
    this.#isCommenting = false;
  }

  async #pause(ms: number): Promise<void> {
    // `sleep` rejects when the streams are closed, which is no error.
    await this.#clock.sleep(ms, this.#stop.signal).catch(() => undefined);
  }
}

/**
 * One stream, until one of its two sides ends it. At most one event and one comment wait for its follower. Not a generator:
 * while it waits for the next text, that would not notice that its follower has gone.
 */
class EventStream implements AsyncIterableIterator<string> {
  // A first comment shows the follower, and proxies before it, that the stream is open.
  #comment = COMMENT;
  #event = '';
  #isOpen = true;
  #deliver: ((result: IteratorResult<string>) => void) | undefined;

  /** @param ended called once, when either side has ended it */
  constructor(
    private told: string | undefined,
    private readonly ended: () => void,
  ) {}

  /** Tells the follower the cursor, or that the stream is still open where there is none yet, or it knows the cursor. */
  tell(cursor: string): void {
    if (cursor === '' || cursor === this.told) this.#comment = COMMENT;
    else this.#event = `id: ${cursor}\ndata: ${cursor}\n\n`;
    this.told = cursor || this.told;
    this.#hand();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.ended();
    this.#hand();
  }

  next(): Promise<IteratorResult<string>> {
    return new Promise((resolve) => {
      this.#deliver = resolve;
      this.#hand();
    });
  }

  /** The follower has gone. */
  async return(): Promise<IteratorResult<string>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Gives the follower what waits for it, if it takes something now. */
  #hand(): void {
    const deliver = this.#deliver;
    const value = this.#comment + this.#event;
    if (!deliver || (this.#isOpen && value === '')) return;
    this.#deliver = undefined;
    [this.#comment, this.#event] = ['', ''];
    deliver(this.#isOpen ? { done: false, value } : { done: true, value: undefined });
  }
}
