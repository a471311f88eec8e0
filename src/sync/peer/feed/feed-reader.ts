import { sourceOfKey } from '../../../component/source.js';
import { type Cursor, cursorText } from '../../../core/cursor.js';
import type { Batch, DocumentReading } from '../../../core/reading.js';
import { feedDigest } from '../../../core/source-digests.js';
import { LtHash } from '../../../lib/lt-hash.js';
import { partOf } from '../../source-reader.js';
import { authoritiesOf, otherAuthorities } from '../mirrored.js';
import type { PeerLists } from '../peer-lists.js';
import { type FeedSummary, memoAfter, type PeerPolling } from '../peer-memo.js';
import { FeedStop, feedPages, type ReadPage, stopped } from './feed-pages.js';
import { FeedRun } from './feed-run.js';

/**
 * Reads a peer by its feed: what has changed since a state that was read before, or all that it says. That is held until its end
 * has come, as much as a node keeps of a peer.
 * @throws FeedStop when there is no end
 */
export async function* readFeed(
  polling: PeerPolling,
  lists: PeerLists,
  since?: Cursor,
): AsyncGenerator<Batch> {
  const { remembered, stored, readAs, clock } = polling;
  const run = new FeedRun(polling, since === undefined);
  const sources = new PeerSources(since && remembered.feed?.lines);
  const touched = new Set<string>();
  let first: ReadPage | undefined;
  let last: ReadPage | undefined;
  for await (const page of feedPages(polling, since)) {
    if (!first) {
      await readLists(polling, lists, page);
      if (!since) sources.update(page.summaries, []);
    }
    first ??= page;
    last = page;
    const from = (since ?? first.cursor).position;
    for (const change of page.changes) {
      if (change.position > from) touched.add(change.of);
      run.add(change);
    }
  }
  if (!first || !last) return yield { put: [], gone: [], isLast: true, complete: true };
  if (since || last !== first) sources.update(last.summaries, touched);
  sources.check(last.cursor, last.network);
  const authorityOf = authoritiesOf(polling, lists);
  const removing: DocumentReading[] = [];
  const said = new Set<string>();
  for (const reading of run.readings(authorityOf)) {
    said.add(reading.url);
    if (reading.amend?.remove?.length) removing.push(reading);
    else yield partOf(reading);
  }
  const gone = since ? [] : run.vanished;
  const { following } = stored?.record ?? {};
  const areListsRead = lists.failures.size === 0 && lists.are(first.lists);
  const network = areListsRead ? first.network : undefined;
  const feed = { cursor: cursorText(last.cursor), lines: sources.lines, network };
  yield {
    put: [...removing, ...otherAuthorities(polling, [...said, ...gone], authorityOf)],
    gone,
    isLast: true,
    complete: true,
    isWhole: since === undefined,
    failure: lists.failure,
    digests: sources.digests,
    ...memoAfter(stored?.record, {
      memo: { readAs, ...lists.memos, feed },
      introduced: lists.introduced,
      following: { by: 'feed', since: following?.by === 'feed' ? following.since : clock.now() },
    }),
  };
}

/**
 * The cursor covers both lists of addresses: they are asked for when they have moved, be it in their order alone, and when they are
 * not those that the page tells of. Of a peer that was put back to an earlier state, their tags may stand for other lists.
 */
async function readLists(
  { remembered }: PeerPolling,
  lists: PeerLists,
  { network, lists: digest }: ReadPage,
): Promise<void> {
  if (network === remembered.feed?.network && lists.are(digest)) return;
  await lists.read(true);
  if (lists.fault) throw new FeedStop(lists.fault);
}

/** Sources of one peer at most: their summaries are kept with what is remembered of the peer. */
const MOST_SOURCES = 10_000;
const NOTHING = LtHash.empty().digest();

/** What a peer says of its sources in short, by `sourceKey`: as it was told last, and what has changed since. */
class PeerSources {
  readonly #lines: Map<string, FeedSummary>;
  readonly #changed = new Set<string>();

  /** @param lines of the state that was read last */
  constructor(lines: readonly FeedSummary[] = []) {
    this.#lines = new Map(lines.map((line) => [line.of, line]));
  }

  /** All that the peer has. */
  get lines(): readonly FeedSummary[] {
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
    for (const summary of summaries) {
      this.#changed.add(summary.of);
      this.#lines.set(summary.of, summary);
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
    const summaries = this.lines.map(({ of, ...said }) => ({
      ...said,
      source: sourceOfKey(of),
      position: 0,
    }));
    if (feedDigest(summaries, network).startsWith(digest)) return;
    throw stopped('what it says of its sources is not the state that its cursor names', 'malformed');
  }

  /** The digests of those that have changed. */
  get digests(): Map<string, string> {
    return new Map([...this.#changed].map((of) => [of, this.#lines.get(of)?.digest ?? NOTHING]));
  }
}
