import { backOff } from '../../lib/back-off.js';
import type { Clock, Random } from '../../lib/clock.js';

/** What a stream gives once it is open: one item for each hint, until it ends. */
export type Hints = AsyncIterable<unknown>;

/** Opens a stream to another server, which ends after `life` ms at the latest. Rejects when that fails, with `NoStream` when the other side has none to offer. */
export type OpenStream = (signal: AbortSignal, life: number) => Promise<Hints>;

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
  /** Something may have changed at the other side. */
  readonly onHint: () => void;
  /** The stream is open. Something may have changed before: nobody knows what was missed. */
  readonly onOpened: () => void;
  /** Called when hints begin to flow, and when they no longer do; `isBroken`: the other side ended them, or the connection. */
  readonly onChange: (isOpen: boolean, isBroken: boolean) => void;
  /** Called when the other side begins to refuse a stream, and when it no longer does. */
  readonly onRefused: () => void;
}

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
/** Before the next try. */
const WAITS = { first: SECOND, longest: 5 * 60 * SECOND };
/** A stream that was open for so long was a good one: the waits begin again. */
const GOOD = 60 * SECOND;

/**
 * How long a stream is left open. A connection may have died without a word, so each is opened again after some time: half an
 * hour at first, and twice as long each time, as long as nothing shows that it was dead.
 */
export const STREAM_LIFE = { least: 30 * 60 * SECOND, most: 8 * 60 * 60 * SECOND } as const;

/**
 * A stream on which another server says that something has changed. It is opened again whenever it ends: soon at first,
 * then after longer and longer waits, half of each random, so that the readers of a server that was away do not come
 * back at once.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #isOpen = false;
  #isRefused = false;
  #life: number = STREAM_LIFE.least;
  #opened = 0;
  #listening = new AbortController();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Did the other side offer no stream when it was asked the last time? Nothing is kept open for it meanwhile. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Something has changed that it has not told of: it is opened again, unless it is new, and soon again after that. */
  doubt(): void {
    this.#life = STREAM_LIFE.least;
    const isOld = this.#options.clock.now() - this.#opened >= STREAM_LIFE.least;
    if (this.#isOpen && isOld) this.#listening.abort(new Error('It has not told of a change'));
  }

  async stop(): Promise<void> {
    const reason = new Error('The stream is not wanted any more');
    this.#abort.abort(reason);
    this.#listening.abort(reason);
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#abort;
    for (let failures = 0; !signal.aborted; ) {
      const began = clock.now();
      const next = await this.#listen();
      failures = clock.now() - began >= GOOD ? 0 : failures + 1;
      const wait = Math.max(next - clock.now(), backOff(failures + 1, WAITS, random));
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** Resolves when the stream has ended, with the earliest time at which to open it again. */
  async #listen(): Promise<number> {
    const { open, onHint, onOpened, clock } = this.#options;
    const listening = new AbortController();
    this.#listening = listening;
    const life = this.#life;
    const began = clock.now();
    let isRefused = false;
    try {
      const hints = await open(listening.signal, life);
      this.#opened = clock.now();
      this.#change(true, false);
      this.#refused(false);
      onOpened();
      for await (const _ of hints) onHint();
    } catch (error) {
      isRefused = error instanceof NoStream;
      if (error instanceof NoStream) return error.retryAt ?? clock.now() + DAY;
    } finally {
      const isOver = this.#isOpen && clock.now() - began >= life;
      if (isOver && this.#life === life) this.#life = Math.min(2 * life, STREAM_LIFE.most);
      this.#change(false, !isOver && !listening.signal.aborted);
      this.#refused(isRefused);
    }
    return 0;
  }

  #refused(isRefused: boolean): void {
    if (this.#isRefused === isRefused) return;
    this.#isRefused = isRefused;
    if (!this.#abort.signal.aborted) this.#options.onRefused();
  }

  #change(isOpen: boolean, isBroken: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    this.#options.onChange(isOpen, isBroken);
  }
}
