import { backOff } from '../../lib/back-off.js';
import { type Clock, elapsed, type Random } from '../../lib/clock.js';
import type { OpenStream } from '../source-reader.js';

/** The other side offers no stream, or none at present. */
export class NoStream extends Error {
  override readonly name = 'NoStream';

  /** `retryAt`: when to ask again, ms since the epoch; after a day when absent. */
  constructor(
    message: string,
    readonly retryAt?: number,
  ) {
    super(message);
  }
}

export interface StreamOptions {
  readonly open: OpenStream;
  readonly clock: Clock;
  readonly random: Random;
  /** Something may have changed at the other side, which is to be looked at after so many ms. */
  readonly onHint: (after: number) => void;
  /** Called when `isRefused` changes. */
  readonly onRefused: () => void;
}

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
/** Before the next try. */
const WAITS = { first: SECOND, longest: 5 * 60 * SECOND };
/** A stream that was open for so long was a good one: the waits begin again. */
const GOOD = 60 * SECOND;
/**
 * What was missed before a stream opened is looked for after so many ms: then the other streams of the same source, which are
 * opened with it, are open as well, and one poll does for all of them.
 */
const OPENED = 2 * SECOND;

/** How long a stream is left open, in ms, before it is opened again: its connection may have died without a word. */
export const STREAM_LIFE = 60 * 60 * SECOND;

/**
 * A stream on which another server says that something has changed. It is opened again whenever it ends: soon at first,
 * then after longer and longer waits, half of each random, so that the readers of a server that was away do not come
 * back at once.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  isOpen = false;
  /** Could the stream not be opened when that was tried the last time? Nothing is kept open for it meanwhile. */
  isRefused = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('The stream is not wanted any more'));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#abort;
    for (let failures = 0; !signal.aborted; ) {
      const began = clock.now();
      const earliest = await this.#listen();
      const now = clock.now();
      failures = elapsed(began, now) >= GOOD ? 0 : failures + 1;
      const wait = Math.max(earliest - now, backOff(failures + 1, WAITS, random));
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** Resolves when the stream has ended, or could not be opened, with the earliest time at which to open it again. */
  async #listen(): Promise<number> {
    const { open, clock, random, onHint } = this.#options;
    const { signal } = this.#abort;
    const life = (STREAM_LIFE / 2) * (1 + random());
    const began = clock.now();
    try {
      const hints = await open(signal, life);
      this.isOpen = true;
      this.#refuse(false);
      onHint(OPENED);
      for await (const _ of hints) onHint(0);
    } catch (error) {
      if (!this.isOpen && !signal.aborted) this.#refuse(true);
      if (error instanceof NoStream) return error.retryAt ?? clock.now() + DAY;
    } finally {
      // That the other side has ended it, or the connection, may be the first sign that the source is down.
      const isBroken = this.isOpen && !signal.aborted && elapsed(began, clock.now()) < life;
      this.isOpen = false;
      if (isBroken) onHint(0);
    }
    return 0;
  }

  #refuse(isRefused: boolean): void {
    if (this.isRefused === isRefused) return;
    this.isRefused = isRefused;
    this.#options.onRefused();
  }
}
