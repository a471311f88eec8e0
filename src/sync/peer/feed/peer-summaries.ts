import { sourceOfKey } from '../../../component/source.js';
import type { Cursor } from '../../../core/cursor.js';
import { feedDigest } from '../../../core/source-digests.js';
import type { FeedSummary } from '../feed-page.js';

/** Sources of one peer at most: their summaries are kept with what is remembered of the peer. */
export const MOST_SOURCES = 10_000;

/** What a peer says of its sources in short: all of them, as far as it has been read. */
export class PeerSummaries {
  readonly #summaries = new Map<string, FeedSummary>();
  readonly #changed = new Set<string>();

  /** @param summaries of the state that was read last */
  constructor(summaries: Iterable<FeedSummary> = []) {
    for (const summary of summaries) this.#summaries.set(summary.of, summary);
  }

  /** By source. */
  get all(): ReadonlyMap<string, FeedSummary> {
    return this.#summaries;
  }

  /** Sources that have changed since the state that was read last, or of which it is not known whether they have. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Why they are not kept. */
  get excess(): string | undefined {
    return this.#summaries.size > MOST_SOURCES ? `it speaks of more than ${MOST_SOURCES} sources` : undefined;
  }

  /** All summaries of the peer, instead of those that were known: each is to be compared. */
  replace(summaries: Iterable<FeedSummary>): void {
    for (const of of this.#summaries.keys()) this.#changed.add(of);
    this.#summaries.clear();
    this.update(summaries);
  }

  /**
   * The summaries that have changed.
   * @param touched sources of which something has changed; one that has no summary among these has nothing any more
   */
  update(summaries: Iterable<FeedSummary>, touched: Iterable<string> = []): void {
    for (const of of touched) {
      this.#changed.add(of);
      this.#summaries.delete(of);
    }
    for (const summary of summaries) {
      this.#changed.add(summary.of);
      this.#summaries.set(summary.of, summary);
    }
  }

  /**
   * Does a state consist of these summaries? The cursor has the beginning of the digest over all of them: so it is noticed
   * when a source has lost the last that it said, and nothing was told of that.
   */
  areOf({ digest }: Cursor, network: number): boolean {
    const summaries = [...this.#summaries.values()].map(({ of, ...summary }) => {
      return { ...summary, source: sourceOfKey(of), position: 0 };
    });
    return feedDigest(summaries, network).startsWith(digest);
  }
}
