import { AsyncQueue } from '../../lib/async-queue.js';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import type { LineShares } from './line-shares.js';
import type { Told } from './told.js';

/** How many lines are told of a change at a time, and how often, in ms: 250 a second (design, section 12). */
const BATCH = { lines: 25, every: 100 };
/** How often each line gets a comment, in ms, so that both sides notice when the other has gone. */
const COMMENT_EVERY = 60_000;
/** When a reader that found no place should try again, in seconds. */
const RETRY_AFTER = 60;

const COMMENT = ':\n\n';

export interface EventLinesOptions {
  readonly clock: Clock;
  readonly shares: LineShares;
}

/** See `marksOf`. */
type MarkOf = (told: Told) => string;

/**
 * The lines of server-sent events on which a node tells its readers its cursor, whenever that moves. It is a hint, not
 * data: a reader that has missed ten gets the last one. A change is told to all lines in turn, so many a second, so that a
 * thousand readers do not ask for it at once, and some hear of it immediately.
 */
export class EventLines {
  readonly #clock: Clock;
  readonly #shares: LineShares;
  readonly #stop = new AbortController();
  /** Lines that know the current cursor, and those that wait for it, the longest first. */
  readonly #told = new Set<EventLine>();
  readonly #waiting = new Set<EventLine>();
  /** When each line gets its next comment, the next one first. */
  readonly #comments = new Map<EventLine, number>();
  #cursor = '';
  #markOf: MarkOf = () => '';
  /** By what is told, as of the cursor. */
  readonly #marks = new Map<string, string>();
  #isTelling = false;
  #isCommenting = false;

  constructor({ clock, shares }: EventLinesOptions) {
    this.#clock = clock;
    this.#shares = shares;
  }

  /** Lines that are open. */
  get count(): number {
    return this.#comments.size;
  }

  /** Says what the cursor is, at first and whenever it has moved. */
  moved(cursor: string, markOf: MarkOf = () => cursor): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#markOf = markOf;
    this.#marks.clear();
    for (const line of this.#told) {
      if (line.mark === this.#mark(line)) continue;
      this.#told.delete(line);
      this.#waiting.add(line);
    }
    void this.#tellAll();
  }

  /**
   * Opens a line; it closes when its reader goes. `known`: the cursor that the reader was told last (`Last-Event-ID`); of
   * another one than the current it hears in its turn. `told`: it hears only of changes of that. `address`: of the reader.
   * @throws Problem 503 when no more lines can be open
   */
  open(known: string | undefined, told: Told = {}, address?: string): AsyncIterable<string> {
    const leave = this.#stop.signal.aborted ? undefined : this.#shares.take(address);
    if (!leave) {
      const why = 'As many lines of events are open as this node allows; ask for the feed itself meanwhile';
      throw new Problem(503, why, { headers: { 'retry-after': String(RETRY_AFTER) } });
    }
    const line = new EventLine(() => {
      leave();
      this.#forget(line);
    }, told);
    this.#comments.set(line, this.#clock.now() + COMMENT_EVERY);
    line.mark = this.#mark(line);
    if (known === this.#cursor) this.#told.add(line);
    else this.#waiting.add(line);
    void this.#tellAll();
    void this.#commentAll();
    return line;
  }

  /** Closes all lines, and opens no more. */
  close(): void {
    this.#stop.abort();
    for (const line of this.#comments.keys()) line.end();
  }

  #mark({ told, part }: EventLine): string {
    if (part === undefined) return this.#cursor;
    const known = this.#marks.get(part);
    if (known !== undefined) return known;
    const mark = this.#markOf(told);
    this.#marks.set(part, mark);
    return mark;
  }

  #forget(line: EventLine): void {
    this.#comments.delete(line);
    this.#told.delete(line);
    this.#waiting.delete(line);
  }

  async #tellAll(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      for (const line of firstOf(this.#waiting)) {
        this.#waiting.delete(line);
        this.#told.add(line);
        line.mark = this.#mark(line);
        line.tell(this.#cursor);
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
      if (next <= now) this.#comment(now);
      await this.#pause(Math.max(next - now, BATCH.every));
    }
    this.#isCommenting = false;
  }

  #comment(now: number): void {
    for (const line of firstOf(this.#comments.keys())) {
      if ((this.#comments.get(line) ?? now) > now) return;
      this.#comments.delete(line);
      this.#comments.set(line, now + COMMENT_EVERY);
      line.comment();
    }
  }

  async #pause(ms: number): Promise<void> {
    // `sleep` rejects when the lines are closed, which is no error.
    await this.#clock.sleep(ms, this.#stop.signal).catch(() => undefined);
  }
}

/** As many lines as are told at a time. */
function firstOf(lines: Iterable<EventLine>): EventLine[] {
  const first: EventLine[] = [];
  for (const line of lines) {
    if (first.length === BATCH.lines) break;
    first.push(line);
  }
  return first;
}

/** One line. What its reader has not taken yet is no more than one event and one comment. */
class EventLine extends AsyncQueue<string> {
  readonly told: Told;
  /** The same as a text; absent when it is everything. */
  readonly part: string | undefined;
  /** Of the state that its reader was told of last. */
  mark = '';
  // A first comment shows the reader, and what stands between, that the line is open.
  #comment = COMMENT;
  #event = '';

  constructor(ended: () => void, told: Told) {
    super(ended);
    this.told = told;
    const { kinds, hops } = told;
    this.part = kinds || hops !== undefined ? `${kinds?.join()} ${hops}` : undefined;
  }

  tell(cursor: string): void {
    this.#event = `id: ${cursor}\ndata: ${cursor}\n\n`;
    this.hand();
  }

  comment(): void {
    this.#comment = COMMENT;
    this.hand();
  }

  protected override take(): string | undefined {
    const text = this.#comment + this.#event;
    this.#comment = '';
    this.#event = '';
    return text === '' ? undefined : text;
  }
}
