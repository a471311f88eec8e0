import { isDeepStrictEqual } from 'node:util';
import { type Source, sourceKey } from '../../component/source.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { Clock, Random } from '../../lib/clock.js';
import { compareText } from '../../lib/compare-text.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { StoredSource } from '../../registry/source-record.js';
import { Line, type OpenLine } from './line.js';

/** Documents of one pod whose notifications are listened to, at most (design, section 12). */
const DOCUMENTS_PER_POD = 50;

/**
 * What was missed before a line opened is looked for after so many ms: then the other lines of the same source, which are
 * opened with it, are open as well, and one poll does for all of them.
 */
const OPENED = 2_000;

/** A source that may have lines. */
export interface ListenedSource {
  readonly source: Source;
  /** Did the operator name it, or other nodes? Learned sources get fewer slots and less time and room. */
  readonly trust: Trust;
  /**
   * Opens a line on which the source says that something has changed: anything of it, or one document of it. What is
   * said is only ever a hint to poll. Absent where there is no such thing. `scope`: see `lineScope`.
   */
  line?(document?: string, scope?: string): OpenLine;

  /**
   * Names what the source's own line has to tell of, given what is stored of it. When that is another than before, the line
   * is opened anew. Always the same when absent.
   */
  lineScope?(stored: StoredSource): string;
}

export interface LinesOptions {
  /** Lines that are open at once, at most; none at all when 0. */
  readonly most: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Something may have changed at a source, which is to be looked at: now, or after so many ms. */
  readonly onHint: (source: Source, after?: number) => void;
  /** A line to a source, or a document of it, has ended: what is to be known from now on has to be asked for. */
  readonly onLost: (source: Source) => void;
}

/**
 * Which lines come first when there are not enough for all. A peer's is a single one, and tells of all that the peer has
 * read: those come before lines to documents, of which a pod may have fifty.
 */
const RANKS = {
  configured: { peer: 0, pod: 1, document: 3 },
  learned: { peer: 2, pod: 4, document: 5 },
} as const;
/** Documents that describe nothing come after everything else. */
const LAST = 6;

/** A line that is wanted, and how much: the lower, the more. */
interface Wanted {
  readonly key: string;
  readonly rank: number;
  readonly source: Source;
  readonly open: () => OpenLine;
}

/**
 * The lines on which pods and peers say that something has changed: one for each source, and for documents of pods as
 * far as there are lines left.
 */
export class Lines {
  readonly #options: LinesOptions;
  readonly #lines = new Map<string, Line>();
  /** By key, of sources that could be read: their documents that are listened to. */
  readonly #documents = new Map<string, readonly ListenedDocument[]>();
  /** By key: sources with more documents than that. */
  readonly #cut = new Set<string>();
  /** By key: sources that have hinted since their last poll ended. */
  readonly #hinted = new Set<string>();
  /** Lines that are perhaps being opened for something else than is wanted. */
  readonly #outdated = new WeakSet<Line>();
  /** By key: what a source's own line has to tell of. */
  readonly #scopes = new Map<string, string>();
  #sources: ReadonlyMap<string, ListenedSource> = new Map();
  #hints = 0;
  #stopped = false;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  /** Replaces the list of those that are listened to. */
  setSources(sources: readonly ListenedSource[]): void {
    this.#sources = new Map(sources.map((listened) => [sourceKey(listened.source), listened]));
    for (const noted of [this.#documents, this.#cut, this.#hinted, this.#scopes]) {
      for (const key of noted.keys()) if (!this.#sources.has(key)) noted.delete(key);
    }
    this.#follow();
  }

  /** To be told of what a source consists of, at the start and after each poll. What fails is left alone. */
  polled(stored: StoredSource): void {
    const key = sourceKey(stored.source);
    const { failures, lastSuccess, heldUntil, unfinished } = stored.record;
    if (failures > 0 || lastSuccess === undefined || heldUntil !== undefined || unfinished) return;
    this.#rescope(key, stored);
    const { documents, isCut } = stored.source.kind === 'pod' ? listenedDocuments(stored) : NO_DOCUMENTS;
    if (isCut) this.#cut.add(key);
    else this.#cut.delete(key);
    const before = this.#documents.get(key);
    if (before && isDeepStrictEqual(before, documents)) return;
    this.#documents.set(key, documents);
    this.#follow();
  }

  /**
   * To be told of each poll that ended. What it has found although all of the source is heard, and has hinted at nothing,
   * shows that a line to it is dead.
   */
  reported({ source, added, changed, removed }: PollReport): void {
    const key = sourceKey(source);
    const isNews = added + changed + removed > 0 && !this.#hinted.has(key) && this.hearsAll(source);
    this.#hinted.delete(key);
    if (!isNews) return;
    for (const [of, line] of this.#lines) if (of === key || of.startsWith(`${key} `)) line.doubt();
  }

  /**
   * What a source is asked about has become more, or less: its own line is opened anew. One that is not open waits as long
   * as it has to, all the same; whether it has been asked for since then shows when it opens.
   */
  reopen(source: Source): void {
    const key = sourceKey(source);
    const line = this.#lines.get(key);
    if (line?.isOpen) this.#openAnew(key, line);
    else if (line) this.#outdated.add(line);
  }

  #openAnew(key: string, line: Line): void {
    if (this.#lines.get(key) !== line) return;
    this.#lines.delete(key);
    void line.stop();
    this.#follow();
  }

  /** Does the source itself say when something changes, at present? */
  hears(source: Source): boolean {
    return this.#lines.get(sourceKey(source))?.isOpen ?? false;
  }

  /**
   * Does whatever changes at a source come with a hint, at present? The line to a container tells of documents that come and
   * go, and only lines to these tell of edits: where there are not enough of them, edits have to be found by polls.
   */
  hearsAll(source: Source): boolean {
    const key = sourceKey(source);
    const isOpen = ({ url }: ListenedDocument) => this.#lines.get(`${key} ${url}`)?.isOpen ?? false;
    return this.hears(source) && !this.#cut.has(key) && (this.#documents.get(key) ?? []).every(isOpen);
  }

  /** Lines that are open now, and hints that have come so far. */
  get counts(): { readonly open: number; readonly hints: number } {
    return { open: [...this.#lines.values()].filter(({ isOpen }) => isOpen).length, hints: this.#hints };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#lines.values()].map((line) => line.stop()));
  }

  #rescope(key: string, stored: StoredSource): void {
    const scope = this.#sources.get(key)?.lineScope?.(stored);
    if (scope === undefined || scope === this.#scopes.get(key)) return;
    this.#scopes.set(key, scope);
    this.reopen(stored.source);
  }

  #follow(): void {
    if (this.#stopped) return;
    const wanted = this.#wanted().slice(0, this.#options.most);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, line] of this.#lines) {
      if (keys.has(key)) continue;
      this.#lines.delete(key);
      void line.stop();
    }
    for (const one of wanted) if (!this.#lines.has(one.key)) this.#lines.set(one.key, this.#line(one));
  }

  #wanted(): Wanted[] {
    const wanted = [...this.#sources].flatMap(([key, listened]): Wanted[] => {
      const { source, trust } = listened;
      const documents = this.#documents.get(key);
      if (!listened.line || !documents) return [];
      const line = listened.line.bind(listened);
      const ranks = RANKS[trust];
      const rank = source.kind === 'peer' ? ranks.peer : ranks.pod;
      const own = { key, rank, source, open: () => line(undefined, this.#scopes.get(key)) };
      return [
        own,
        ...documents.map(({ url, describes }) => ({
          ...{ key: `${key} ${url}`, rank: describes ? ranks.document : LAST, source },
          open: () => line(url),
        })),
      ];
    });
    return wanted.sort((one, other) => one.rank - other.rank);
  }

  #line({ key, source, open }: Wanted): Line {
    const { clock, random, onHint, onLost } = this.#options;
    const hinted = (after?: number) => {
      this.#hints += 1;
      this.#hinted.add(sourceKey(source));
      onHint(source, after);
    };
    const line = new Line({
      ...{ open: open(), clock, random },
      onHint: () => hinted(),
      onOpened: () => hinted(OPENED),
      onChange: (isOpen) => {
        if (isOpen && this.#outdated.has(line)) this.#openAnew(key, line);
        if (!isOpen && !this.#stopped) onLost(source);
      },
    });
    return line;
  }
}

/** A document of a pod, and whether it describes components: others may come to, once a fault in them is corrected. */
interface ListenedDocument {
  readonly url: string;
  readonly describes: boolean;
}

const NO_DOCUMENTS = { documents: [], isCut: false } as const;

/**
 * Those that describe components first, the latest edited of them first: they are the most likely to be edited again.
 * `isCut`: are there more?
 */
function listenedDocuments({ source, documents }: StoredSource): {
  readonly documents: readonly ListenedDocument[];
  readonly isCut: boolean;
} {
  const members = [...documents]
    .filter(([url]) => url !== source.url)
    .map(([url, { components, modified = '' }]) => ({ url, describes: components > 0, modified }))
    .sort(
      (one, other) =>
        Number(other.describes) - Number(one.describes) ||
        compareText(other.modified, one.modified) ||
        compareText(one.url, other.url),
    );
  const listened = members.slice(0, DOCUMENTS_PER_POD).map(({ url, describes }) => ({ url, describes }));
  return { documents: listened, isCut: members.length > DOCUMENTS_PER_POD };
}
