import { type Source, sourceKey } from '../../component/source.js';
import type { StoredSource } from '../../core/source-record.js';
import type { Clock, Random } from '../../lib/clock.js';
import { compareText } from '../../lib/compare-text.js';
import type { Trust } from '../../lib/fetch/hop.js';
import { type OpenStream, Stream } from './stream.js';

/** Documents of one pod whose notifications are listened to, at most (design, section 12). */
const DOCUMENTS_PER_POD = 50;

/**
 * What was missed before a stream opened is looked for after so many ms: then the other streams of the same source, which are
 * opened with it, are open as well, and one poll does for all of them.
 */
const OPENED = 2_000;

/** A source that may have streams. */
export interface ListenedSource {
  readonly source: Source;
  /** Did the operator name it, or other nodes? Learned sources get fewer slots and less time and room. */
  readonly trust: Trust;
  /**
   * Opens a stream on which the source says that something has changed: anything of it, or one document of it. What is
   * said is only ever a hint to poll. Absent where there is no such thing.
   */
  stream?(document?: string): OpenStream;
}

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
 * Which streams come first when there are not enough for all. A peer's is a single one, and tells of all that the peer has
 * read: those come before streams to documents, of which a pod may have fifty.
 */
const RANKS = {
  configured: { peer: 0, pod: 1, document: 3 },
  learned: { peer: 2, pod: 4, document: 5 },
} as const;
/** Documents that describe nothing come after everything else: a fault in them may be corrected. */
const LAST = 6;

/** A stream that is wanted, and how much: the lower, the more. */
interface Wanted {
  readonly key: string;
  /** Of a document: the key of its source. */
  readonly below?: string;
  readonly rank: number;
  readonly source: Source;
  readonly open: () => OpenStream;
}

/**
 * The streams on which pods and peers say that something has changed: one for each source, and for documents of pods as
 * far as there are streams left.
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #streams = new Map<string, Stream>();
  /** By key, of sources that could be read: their documents that are listened to. */
  readonly #documents = new Map<string, readonly ListenedDocument[]>();
  #sources: ReadonlyMap<string, ListenedSource> = new Map();
  #hints = 0;
  #stopped = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Replaces the list of those that are listened to. */
  setSources(sources: readonly ListenedSource[]): void {
    this.#sources = new Map(sources.map((listened) => [sourceKey(listened.source), listened]));
    for (const key of this.#documents.keys()) if (!this.#sources.has(key)) this.#documents.delete(key);
    this.#follow();
  }

  /** To be told of what a source consists of, at the start and after each poll. What fails is left alone. */
  polled(stored: StoredSource): void {
    const { failures, lastSuccess, heldUntil, unfinished } = stored.record;
    if (failures > 0 || lastSuccess === undefined || heldUntil !== undefined || unfinished) return;
    this.#documents.set(sourceKey(stored.source), listenedDocuments(stored));
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
    const wanted = this.#chosen();
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, stream] of this.#streams) {
      if (keys.has(key)) continue;
      this.#streams.delete(key);
      void stream.stop();
    }
    for (const one of wanted) if (!this.#streams.has(one.key)) this.#streams.set(one.key, this.#stream(one));
  }

  /**
   * As many of the wanted streams as may be open, and those that could not be opened: these take the place of no other, and are
   * tried again when their time comes. Where a source refuses its own stream, none is asked for its documents.
   */
  #chosen(): Wanted[] {
    const slots = new Set<string>();
    return this.#wanted().filter(({ key, below }) => {
      if (this.#options.most === 0 || (below !== undefined && !slots.has(below))) return false;
      if (this.#streams.get(key)?.isRefused) return true;
      if (slots.size >= this.#options.most) return false;
      slots.add(key);
      return true;
    });
  }

  #wanted(): Wanted[] {
    const wanted = [...this.#sources].flatMap(([key, listened]): Wanted[] => {
      const { source, trust } = listened;
      const documents = this.#documents.get(key);
      if (!listened.stream || !documents) return [];
      const stream = listened.stream.bind(listened);
      const ranks = RANKS[trust];
      const rank = source.kind === 'peer' ? ranks.peer : ranks.pod;
      const own = { key, rank, source, open: () => stream() };
      return [
        own,
        ...documents.map(({ url, describes }) => {
          const rank = describes ? ranks.document : LAST;
          return { key: `${key} ${url}`, below: key, rank, source, open: () => stream(url) };
        }),
      ];
    });
    return wanted.sort((one, other) => one.rank - other.rank);
  }

  #stream({ source, open }: Wanted): Stream {
    const { clock, random, onHint, onOpened, onLost } = this.#options;
    const hinted = (tell: () => void) => () => {
      this.#hints += 1;
      tell();
    };
    return new Stream({
      ...{ open: open(), clock, random },
      onHint: hinted(() => onHint(source)),
      onOpened: hinted(() => onOpened(source, OPENED)),
      onRefused: () => this.#follow(),
      onLost: (isBroken) => {
        if (!this.#stopped) onLost(source, isBroken);
      },
    });
  }
}

/** A document of a pod, and whether it describes components. */
interface ListenedDocument {
  readonly url: string;
  readonly describes: boolean;
}

/** Those that describe components first, the latest edited of them first: they are the most likely to be edited again. */
function listenedDocuments({ source, documents }: StoredSource): readonly ListenedDocument[] {
  if (source.kind !== 'pod') return [];
  return [...documents]
    .filter(([url]) => url !== source.url)
    .map(([url, { components, modified = '' }]) => ({ url, describes: components > 0, modified }))
    .sort(
      (one, other) =>
        Number(other.describes) - Number(one.describes) ||
        compareText(other.modified, one.modified) ||
        compareText(one.url, other.url),
    )
    .slice(0, DOCUMENTS_PER_POD);
}
