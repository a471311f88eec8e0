import { type Source, sourceKey } from '../../component/source.js';
import type { StoredSource } from '../../core/source-record.js';
import { chosenStreams, streamsOf, type WantedStream } from '../../core/stream-slots.js';
import type { Clock, Random } from '../../lib/clock.js';
import type { OpenStream, SourceReader } from '../source-reader.js';
import { Stream } from './stream.js';

/**
 * What was missed before a stream opened is looked for after so many ms: then the other streams of the same source, which are
 * opened with it, are open as well, and one poll does for all of them.
 */
const OPENED = 2_000;

/** A source that may have streams. */
export type ListenedSource = Pick<SourceReader, 'source' | 'trust' | 'stream'>;

export interface StreamsOptions {
  /** Streams that are open at once, at most; none at all when 0. */
  readonly most: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Something may have changed at a source, which is to be looked at now. */
  readonly onHint: (source: Source) => void;
  /** A stream to a source has opened: what it has not told of before is to be looked for after so many ms. */
  readonly onOpened: (source: Source, after: number) => void;
  /**
   * A stream to a source, or a document of it, has ended: what is to be known from now on has to be asked for. `isBroken`: the
   * other side ended it, or the connection.
   */
  readonly onLost: (source: Source, isBroken: boolean) => void;
}

/**
 * The streams on which pods and peers say that something has changed: one for each source, and for documents of pods as
 * far as there are streams left.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #streams = new Map<string, Stream>();
  /** By key, of sources that could be read: the streams that tell of them. */
  readonly #wanted = new Map<string, readonly WantedStream[]>();
  #sources: ReadonlyMap<string, ListenedSource> = new Map();
  #hints = 0;
  #stopped = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

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
    if (failures > 0 || lastSuccess === undefined) return;
    if (!listened?.stream) return;
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
    const chosen = chosenStreams([...this.#wanted.values()].flat(), this.#options.most, isRefused);
    const keys = new Set(chosen.map(({ key }) => key));
    for (const [key, stream] of this.#streams) {
      if (keys.has(key)) continue;
      this.#streams.delete(key);
      void stream.stop();
    }
    for (const { key, document } of chosen) {
      const listened = this.#sources.get(document?.below ?? key);
      const open = this.#streams.has(key) ? undefined : listened?.stream?.(document?.url);
      if (listened && open) this.#streams.set(key, this.#stream(listened, open));
    }
  }

  #stream({ source }: ListenedSource, open: OpenStream): Stream {
    const { clock, random, onHint, onOpened, onLost } = this.#options;
    const hinted = (tell: () => void) => () => {
      this.#hints += 1;
      tell();
    };
    return new Stream({
      ...{ open, clock, random },
      onHint: hinted(() => onHint(source)),
      onOpened: hinted(() => onOpened(source, OPENED)),
      onRefused: () => this.#follow(),
      onLost: (isBroken) => {
        if (!this.#stopped) onLost(source, isBroken);
      },
    });
  }
}
