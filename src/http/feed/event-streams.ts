import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import type { StreamShares } from './stream-shares.js';

/** How many streams are told of a change at a time, and how often, in ms: 250 a second (design, section 12). */
const BATCH = { streams: 25, every: 100 };
/** How often each stream gets a comment, in ms, so that both sides notice when the other has gone. */
const COMMENT_EVERY = 60_000;
/** When a follower that was refused should try again, in seconds. */
const RETRY_AFTER = 60;

const COMMENT = ':\n\n';

/** A comment that is farther away than any was planned before the clock was set back. */
function isCommentDue(planned: number, now: number): boolean {
  return planned <= now || planned > now + COMMENT_EVERY;
}

export interface EventStreamsOptions {
  readonly clock: Clock;
  readonly shares: StreamShares;
}

/**
 * The streams of server-sent events on which a node tells its followers its cursor, whenever that moves. It is a hint, not
 * data: a follower that has missed ten gets the last one. A change is told to all streams in turn, so many a second, so that a
 * thousand followers do not ask for it at once, and some hear of it immediately.
 */
export class EventStreams {
  readonly #clock: Clock;
  readonly #shares: StreamShares;
  readonly #stop = new AbortController();
  /** Streams that know the current cursor, and those that wait for it, the longest first. */
  readonly #current = new Set<EventStream>();
  readonly #waiting = new Set<EventStream>();
  /** When each stream gets its next comment, the next one first. */
  readonly #comments = new Map<EventStream, number>();
  #cursor = '';
  #isTelling = false;
  #isCommenting = false;

  constructor({ clock, shares }: EventStreamsOptions) {
    this.#clock = clock;
    this.#shares = shares;
  }

  /** Streams that are open. */
  get count(): number {
    return this.#comments.size;
  }

  /** Says what the cursor is, at first and whenever it has moved. */
  moved(cursor: string): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    for (const stream of this.#current) this.#waiting.add(stream);
    this.#current.clear();
    void this.#tellAll();
  }

  /**
   * Opens a stream; it closes when its follower goes. `last`: the cursor that the follower was told last (`Last-Event-ID`); if it
   * is not the current one, the follower is told in its turn. `address`: of the follower.
   * @throws Problem 503 when no more streams can be open
   */
  open(last: string | undefined, address?: string): AsyncIterable<string> {
    const leave = this.#stop.signal.aborted ? undefined : this.#shares.take(address);
    if (!leave) {
      const why = 'As many streams of events are open as this node allows; ask for the feed itself meanwhile';
      throw new Problem(503, why, { headers: { 'retry-after': String(RETRY_AFTER) } });
    }
    const stream = new EventStream(() => {
      leave();
      this.#forget(stream);
    });
    this.#comments.set(stream, this.#clock.now() + COMMENT_EVERY);
    if (last === this.#cursor) this.#current.add(stream);
    else this.#waiting.add(stream);
    void this.#tellAll();
    void this.#commentAll();
    return stream;
  }

  close(): void {
    this.#stop.abort();
    for (const stream of this.#comments.keys()) stream.end();
  }

  #forget(stream: EventStream): void {
    this.#comments.delete(stream);
    this.#current.delete(stream);
    this.#waiting.delete(stream);
  }

  async #tellAll(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      for (const stream of firstOf(this.#waiting)) {
        this.#waiting.delete(stream);
        this.#current.add(stream);
        stream.tell(this.#cursor);
      }
      await this.#pause(BATCH.every);
    }
    this.#isTelling = false;
  }

  async #commentAll(): Promise<void> {
    if (this.#isCommenting) return;
    this.#isCommenting = true;
    for (;;) {
      const [next] = this.#comments.values();
      if (next === undefined || this.#stop.signal.aborted) break;
      const now = this.#clock.now();
      if (isCommentDue(next, now)) this.#comment(now);
      await this.#pause(Math.min(Math.max(next - now, BATCH.every), COMMENT_EVERY));
    }
    this.#isCommenting = false;
  }

  #comment(now: number): void {
    for (const stream of firstOf(this.#comments.keys())) {
      if (!isCommentDue(this.#comments.get(stream) ?? now, now)) return;
      this.#comments.delete(stream);
      this.#comments.set(stream, now + COMMENT_EVERY);
      stream.comment();
    }
  }

  async #pause(ms: number): Promise<void> {
    // `sleep` rejects when the streams are closed, which is no error.
    await this.#clock.sleep(ms, this.#stop.signal).catch(() => undefined);
  }
}

/** The first streams, as many as are told at a time. */
function firstOf(streams: Iterable<EventStream>): EventStream[] {
  const first: EventStream[] = [];
  for (const stream of streams) {
    if (first.length === BATCH.streams) break;
    first.push(stream);
  }
  return first;
}

/**
 * One stream, until one of its two sides ends it. At most one event and one comment wait for its follower. Not a generator:
 * while it waits for the next text, that would not notice that its follower has gone.
 */
class EventStream implements AsyncIterableIterator<string> {
  readonly #ended: () => void;
  // A first comment shows the follower, and proxies before it, that the stream is open.
  #comment = COMMENT;
  #event = '';
  #isOpen = true;
  #deliver: ((result: IteratorResult<string>) => void) | undefined;

  /** @param ended called once, when either side has ended it */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  tell(cursor: string): void {
    this.#event = `id: ${cursor}\ndata: ${cursor}\n\n`;
    this.#hand();
  }

  comment(): void {
    this.#comment = COMMENT;
    this.#hand();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
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
