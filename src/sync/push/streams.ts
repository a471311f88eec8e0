import { type Source, sourceKey } from '../../component/source.js';
import type { StoredSource } from '../../core/source-record.js';
import { chosenStreams, streamsOf, type WantedStream } from '../../core/stream-slots.js';
import { backOff } from '../../lib/back-off.js';
import { type Clock, elapsed, type Random } from '../../lib/clock.js';
import { NoStream, type OpenStream, type SourceReader } from '../source-reader.js';

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

interface StreamOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Something may have changed at the other side, which is to be looked at after so many ms. */
  readonly onHint: (after: number) => void;
  /** Called when `isRefused` changes. */
  readonly onRefused: () => void;
}

/**
 * A stream on which another server says that something has changed. It is opened again whenever it ends: soon at first,
 * then after longer and longer waits, half of each random, so that the readers of a server that was away do not come
 * back at once.
 */
export class Stream {
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  isOpen = false;
  /** Could the stream not be opened when that was tried the last time? Nothing is kept open for it meanwhile. */
  isRefused = false;

  constructor(
    readonly open: OpenStream,
    readonly options: StreamOptions,
  ) {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('The stream is not wanted any more'));
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.options;
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
    const { clock, random, onHint } = this.options;
    const { signal } = this.#abort;
    const life = (STREAM_LIFE / 2) * (1 + random());
    const began = clock.now();
    try {
      const hints = await this.open(signal, life);
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
    this.options.onRefused();
  }
}

/** A source that may have streams. */
export type ListenedSource = Pick<SourceReader, 'source' | 'trust' | 'stream'>;

interface StreamsOptions extends Pick<StreamOptions, 'clock' | 'random'> {
  /** Streams that are open at once, at most; none at all when 0. */
  readonly most: number;
  /** Something may have changed at a source, which is to be looked at after so many ms. */
  readonly onHint: (source: Source, after: number) => void;
}

/**
 * The streams on which pods and peers say that something has changed: one for each source, and for documents of pods as
 * far as there are streams left.
 */
export class Streams {
  readonly #streams = new Map<string, Stream>();
  /** By key, of sources that could be read: the streams that tell of them. */
  readonly #wanted = new Map<string, readonly WantedStream[]>();
  #sources: ReadonlyMap<string, ListenedSource> = new Map();
  #hints = 0;
  #stopped = false;

  constructor(readonly options: StreamsOptions) {}

  /** Replaces the list of those that are listened to. */
  setSources(sources: readonly ListenedSource[]): void {
    this.#sources = new Map(sources.map((listened) => [sourceKey(listened.source), listened]));
    for (const key of this.#wanted.keys()) if (!this.#sources.has(key)) this.#wanted.delete(key);
    this.#follow();
  }

  /** To be told of what a source consists of, at the start and after each poll. What fails is left alone. */
  polled(stored: StoredSource): void {
    const key = sourceKey(stored.source);
    const listened = this.#sources.get(key);
    const { failures, lastSuccess } = stored.record;
    if (!listened?.stream || failures > 0 || lastSuccess === undefined) return;
    this.#wanted.set(key, streamsOf(key, stored, listened.trust));
    this.#follow();
  }

  /** Does the source itself say when something changes, at present? */
  hears(source: Source): boolean {
    return this.#streams.get(sourceKey(source))?.isOpen ?? false;
  }

  /** Streams that are open now, and hints that have come so far. */
  get counts(): { readonly open: number; readonly hints: number } {
    return { open: [...this.#streams.values()].filter(({ isOpen }) => isOpen).length, hints: this.#hints };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#streams.values()].map((stream) => stream.stop()));
  }

  #follow(): void {
    if (this.#stopped) return;
    const isRefused = (key: string) => this.#streams.get(key)?.isRefused ?? false;
    const chosen = chosenStreams([...this.#wanted.values()].flat(), this.options.most, isRefused);
    const keys = new Set(chosen.map(({ key }) => key));
    for (const [key, stream] of this.#streams) {
      if (keys.has(key)) continue;
      this.#streams.delete(key);
      void stream.stop();
    }
    for (const { key, document } of chosen) {
      const { source, stream } = this.#sources.get(document?.below ?? key) ?? {};
      const open = this.#streams.has(key) ? undefined : stream?.(document?.url);
      if (source && open) this.#streams.set(key, this.#stream(source, open));
    }
  }

  #stream(source: Source, open: OpenStream): Stream {
    const { onHint, clock, random } = this.options;
    const hint = (after: number) => {
      this.#hints += 1;
      onHint(source, after);
    };
    return new Stream(open, { clock, random, onHint: hint, onRefused: () => this.#follow() });
  }
}
