import { isDeepStrictEqual } from 'node:util';
import { type Source, sourceKey } from '../../component/source.js';
import type { StoredSource } from '../../core/source-record.js';
import { chosenStreams, streamsOf, type WantedStream } from '../../core/stream-slots.js';
import { backOff } from '../../lib/back-off.js';
import { type Clock, elapsed, type Random } from '../../lib/clock.js';
import { linkedAbort } from '../../lib/linked-abort.js';
import { NoStream, type OpenStream, type SourceReader } from '../source-reader.js';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
/** Before the next try: half of each is random, so that the readers of a server do not come back at once. */
const WAITS = { first: SECOND, longest: 5 * 60 * SECOND };
/** A stream that was open for so long was a good one: the waits begin again. */
const GOOD = 60 * SECOND;
/** After so many ms, one poll looks for what was missed before the streams of a source opened. */
const OPENED = 2 * SECOND;

/** How long a stream is left open, in ms: its connection may have died without a word. */
const LIFE = 60 * 60 * SECOND;

/** A source that may have streams. */
export type ListenedSource = Pick<SourceReader, 'source' | 'trust' | 'stream'>;

interface StreamsOptions {
  /** Streams that are open at once, at most; none at all when 0. */
  readonly most: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Something may have changed at a source, which is to be looked at after so many ms. */
  readonly onHint: (source: Source, after: number) => void;
}

/** A stream that is opened again whenever it ends. `isRefused`: it could not be opened, and takes no slot. */
interface Stream {
  readonly source: Source;
  readonly open: OpenStream;
  readonly abort: AbortController;
  isOpen: boolean;
  isRefused: boolean;
}

/** The streams on which sources tell of changes: one each, and for documents while slots are free. */
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
    const wanted = streamsOf(key, stored, listened.trust);
    if (isDeepStrictEqual(wanted, this.#wanted.get(key))) return;
    this.#wanted.set(key, wanted);
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

  stop(): void {
    this.#stopped = true;
    for (const { abort } of this.#streams.values()) abort.abort();
  }

  #follow(): void {
    if (this.#stopped) return;
    const isRefused = (key: string) => this.#streams.get(key)?.isRefused ?? false;
    const chosen = chosenStreams([...this.#wanted.values()].flat(), this.options.most, isRefused);
    const keys = new Set(chosen.map(({ key }) => key));
    for (const [key, { abort }] of this.#streams) {
      if (keys.has(key)) continue;
      this.#streams.delete(key);
      abort.abort();
    }
    for (const { key, document } of chosen) {
      const { source, stream } = this.#sources.get(document?.below ?? key) ?? {};
      const open = this.#streams.has(key) ? undefined : stream?.(document?.url);
      if (!source || !open) continue;
      const kept = { source, open, abort: new AbortController(), isOpen: false, isRefused: false };
      this.#streams.set(key, kept);
      void this.#keepOpen(kept);
    }
  }

  /** Opens a stream again and again: soon at first, then after longer and longer waits. */
  async #keepOpen(stream: Stream): Promise<void> {
    const { clock, random } = this.options;
    const { signal } = stream.abort;
    for (let failures = 0; !signal.aborted; ) {
      const { openFor, earliest } = await this.#listen(stream);
      failures = openFor >= GOOD ? 0 : failures + 1;
      const wait = Math.max(earliest - clock.now(), backOff(failures + 1, WAITS, random));
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /**
   * Resolves when the stream has ended, or could not be opened: with the ms for which it was open, and the
   * earliest time of the next try.
   */
  async #listen(stream: Stream): Promise<{ readonly openFor: number; readonly earliest: number }> {
    const { clock, random } = this.options;
    const { signal, end } = linkedAbort(stream.abort.signal);
    const life = (LIFE / 2) * (1 + random());
    const began = clock.now();
    let opened: number | undefined;
    let earliest = 0;
    try {
      const hints = await stream.open(signal, life);
      opened = clock.now();
      stream.isOpen = true;
      this.#refuse(stream, false);
      this.#hint(stream, OPENED);
      for await (const _ of hints) this.#hint(stream, 0);
    } catch (error) {
      if (!stream.isOpen && !signal.aborted) this.#refuse(stream, true);
      if (error instanceof NoStream) earliest = error.retryAt ?? clock.now() + DAY;
    } finally {
      end();
    }
    stream.isOpen = false;
    const now = clock.now();
    // That the other side has ended it, or the connection, may be the first sign that the source is down.
    if (opened !== undefined && !signal.aborted && elapsed(began, now) < life) this.#hint(stream, 0);
    return { openFor: elapsed(opened ?? now, now), earliest };
  }

  #hint({ source }: Stream, after: number): void {
    this.#hints += 1;
    this.options.onHint(source, after);
  }

  #refuse(stream: Stream, isRefused: boolean): void {
    if (stream.isRefused === isRefused) return;
    stream.isRefused = isRefused;
    this.#follow();
  }
}
