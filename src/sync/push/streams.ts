import { type Source, sourceKey } from '../../component/source.js';
import type { StoredSource } from '../../core/source-record.js';
import { chosenStreams, streamsOf, type WantedStream } from '../../core/stream-slots.js';
import type { OpenStream, SourceReader } from '../source-reader.js';
import { Stream, type StreamOptions } from './stream.js';

/** A source that may have streams. */
export type ListenedSource = Pick<SourceReader, 'source' | 'trust' | 'stream'>;

export interface StreamsOptions extends Pick<StreamOptions, 'clock' | 'random'> {
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
    const { onHint, ...options } = this.#options;
    return new Stream({
      ...options,
      open,
      onHint: (after) => {
        this.#hints += 1;
        onHint(source, after);
      },
      onRefused: () => this.#follow(),
    });
  }
}
