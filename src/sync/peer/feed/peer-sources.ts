import { sourceOfKey } from '../../../component/source.js';
import type { Cursor } from '../../../core/cursor.js';
import { feedDigest } from '../../../core/source-digests.js';
import { LtHash } from '../../../lib/lt-hash.js';
import type { SummaryMemo } from '../peer-memo.js';
import type { FeedSummary } from './feed-page.js';
import { stopped } from './feed-stop.js';

/** Sources of one peer at most: their summaries are kept with what is remembered of the peer. */
const MOST_SOURCES = 10_000;
const NOTHING = LtHash.empty().digest();

/** What a peer says of its sources in short, by `sourceKey`: as it was told last, and what has changed since. */
export class PeerSources {
  readonly #lines: Map<string, SummaryMemo>;
  readonly #changed = new Set<string>();

  /** @param lines of the state that was read last */
  constructor(lines: readonly SummaryMemo[] = []) {
    this.#lines = new Map(lines.map((line) => [line[0], line]));
  }

  /** All that the peer has. */
  get lines(): readonly SummaryMemo[] {
    return [...this.#lines.values()];
  }

  /**
   * Takes up what the last page of a run tells.
   * @param touched sources of which something has changed; one that has no summary has nothing any more
   */
  update(summaries: readonly FeedSummary[], touched: Iterable<string>): void {
    for (const of of touched) {
      this.#changed.add(of);
      this.#lines.delete(of);
    }
    for (const { of, rank, count, digest } of summaries) {
      this.#changed.add(of);
      this.#lines.set(of, [of, rank, count, digest]);
    }
  }

  /**
   * The cursor has the beginning of the digest over all of them: so it is noticed when something has changed, and nothing was
   * told of that.
   * @throws FeedStop
   */
  check({ digest }: Cursor, network: number): void {
    if (this.#lines.size > MOST_SOURCES)
      throw stopped(`it speaks of more than ${MOST_SOURCES} sources`, 'malformed');
    const summaries = this.lines.map(([of, rank, count, digest]) => {
      return { source: sourceOfKey(of), rank, count, digest, position: 0 };
    });
    if (feedDigest(summaries, network).startsWith(digest)) return;
    throw stopped('what it says of its sources is not the state that its cursor names', 'malformed');
  }

  /** The digests of those that have changed. */
  get digests(): Map<string, string> {
    return new Map([...this.#changed].map((of) => [of, this.#lines.get(of)?.[3] ?? NOTHING]));
  }
}
