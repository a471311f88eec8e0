import { sourceOfKey } from '../../../component/source.js';
import type { Cursor } from '../../../core/cursor.js';
import { feedDigest } from '../../../core/source-digests.js';
import type { FeedLine } from '../feed-page.js';

/** Sources of one peer at most: their lines are kept with what is remembered of the peer. */
export const MOST_SOURCES = 10_000;

/** What a peer says of its sources in short: all of them, as far as it has been read. */
export class PeerLines {
  readonly #lines = new Map<string, FeedLine>();
  readonly #changed = new Set<string>();

  /** @param lines of the state that was read last */
  constructor(lines: Iterable<FeedLine> = []) {
    for (const line of lines) this.#lines.set(line.of, line);
  }

  /** By source. */
  get all(): ReadonlyMap<string, FeedLine> {
    return this.#lines;
  }

  /** Sources that have changed since the state that was read last, or of which it is not known whether they have. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Why they are not kept. */
  get excess(): string | undefined {
    return this.#lines.size > MOST_SOURCES ? `it speaks of more than ${MOST_SOURCES} sources` : undefined;
  }

  /** All lines of the peer, instead of those that were known: each is to be compared. */
  replace(lines: Iterable<FeedLine>): void {
    for (const of of this.#lines.keys()) this.#changed.add(of);
    this.#lines.clear();
    this.update(lines);
  }

  /**
   * The lines that have changed.
   * @param touched sources of which something has changed; one that has no line among these has nothing any more
   */
  update(lines: Iterable<FeedLine>, touched: Iterable<string> = []): void {
    for (const of of touched) {
      this.#changed.add(of);
      this.#lines.delete(of);
    }
    for (const line of lines) {
      this.#changed.add(line.of);
      this.#lines.set(line.of, line);
    }
  }

  /** Forgets what the peer has taken from its own peers: it is told no more of that. @returns the sources */
  dropPassedOn(): string[] {
    const relayed = [...this.#lines.keys()].filter((of) => sourceOfKey(of).kind === 'peer');
    for (const of of relayed) this.#lines.delete(of);
    return relayed;
  }

  /**
   * Does a state consist of these lines? The cursor has the beginning of the digest over all of them: so it is noticed
   * when a source has lost the last that it said, and nothing was told of that.
   * @param told the digest over those that are asked about; absent where the peer tells of all
   */
  areOf({ digest }: Cursor, network: number, told = digest): boolean {
    const lines = [...this.#lines.values()].map(({ of, ...line }) => {
      return { ...line, source: sourceOfKey(of), position: 0 };
    });
    return feedDigest(lines, network).startsWith(told);
  }
}
