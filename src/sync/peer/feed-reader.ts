import { sourceOfKey } from '../../component/source.js';
import { type Cursor, cursorText } from '../../core/cursor.js';
import type { Batch } from '../../core/reading.js';
import { feedDigest } from '../../core/source-digests.js';
import { LtHash } from '../../lib/lt-hash.js';
import { Unreadable, unreadable } from '../failures.js';
import { type FeedPage, readFeedPage } from './feed-page.js';
import { readPages } from './pages.js';
import { batchesOf } from './peer-batches.js';
import { PeerDocuments } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import type { PeerPolling } from './peer-memo.js';
import { ACCEPT, addressWith, isUnknownThere } from './peer-request.js';

/** Sources of one peer at most: their summaries are kept with what is remembered of the peer. */
const MOST_SOURCES = 10_000;
const NOTHING = LtHash.empty().digest();

/** The peer has no feed, or does not know the state that was read last. */
export class NoFeed extends Unreadable {}

/** What a page says of the peer itself. */
type PeerState = Omit<FeedPage, 'changes'>;

/**
 * Reads a peer by its feed: what has changed since a state that was read before, or all that it says. What changes at the peer
 * meanwhile comes on a later page, also removals of what was on a page before: all is held until the end has come.
 * @throws Unreadable when there is no end; NoFeed when there is no beginning
 */
export async function* readFeed(
  polling: PeerPolling,
  lists: PeerLists,
  since?: Cursor,
): AsyncGenerator<Batch> {
  const { peer, remembered, stored, clock } = polling;
  const documents = new PeerDocuments(polling, since ? 'changes' : 'feed');
  /** Sources of which something has changed, by `sourceKey`. */
  const changed = new Set<string>();
  const states: { first?: PeerState; last?: PeerState } = {};
  let [epoch, position] = [since?.epoch, since?.position ?? 0];
  const resource = {
    url: addressWith(`${peer}/feed`, { since: since && cursorText(since) }),
    accept: ACCEPT.feed,
    before: since && remembered.feed?.network !== undefined ? { etag: `"${cursorText(since)}"` } : {},
  };
  try {
    await readPages(polling, resource, async (body) => {
      const { changes, ...state } = await readFeedPage(body, polling, { epoch, position });
      if (!states.first) await readLists(polling, lists, state);
      states.first ??= state;
      states.last = state;
      const from = since ?? states.first.cursor;
      for (const { position: at, ...statements } of changes) {
        if (at > from.position) changed.add(statements.of);
        documents.add(statements);
        position = at;
      }
      epoch = state.cursor.epoch;
      return changes.length;
    });
  } catch (error) {
    if (states.first || !(error instanceof Unreadable) || !isUnknownThere(error.failure)) throw error;
    throw new NoFeed(error.failure);
  }
  const { first, last } = states;
  if (!first || !last) return yield { put: [], gone: [], isLast: true, complete: true };
  const lines = new Map((since && remembered.feed?.lines)?.map((line) => [line.of, line]));
  for (const line of since ? [] : first.summaries) lines.set(line.of, line);
  // A source that has changed and is not told of at the end has nothing any more.
  for (const of of changed) lines.delete(of);
  for (const line of last.summaries) lines.set(line.of, line);
  for (const { of } of since ? last.summaries : [...first.summaries, ...last.summaries]) changed.add(of);
  const feed = {
    cursor: cursorText(last.cursor),
    lines: [...lines.values()],
    network: lists.failures.size === 0 && lists.are(first.lists) ? first.network : undefined,
  };
  checkDigest(feed.lines, last);
  const { following } = stored?.record ?? {};
  yield* batchesOf(polling, lists, documents, {
    complete: true,
    isWhole: since === undefined,
    digests: new Map([...changed].map((of) => [of, lines.get(of)?.digest ?? NOTHING])),
    memo: { feed },
    following: { by: 'feed', since: following?.by === 'feed' ? following.since : clock.now() },
  });
}

/**
 * The cursor covers both lists of addresses: they are asked for when they have moved, be it in their order alone, and when they are
 * not those that the page tells of. Of a peer that was put back to an earlier state, their tags may stand for other lists.
 */
async function readLists(
  { remembered }: PeerPolling,
  lists: PeerLists,
  { network, lists: digest }: PeerState,
): Promise<void> {
  if (network === remembered.feed?.network && lists.are(digest)) return;
  await lists.read(true);
  if (lists.fault) throw new Unreadable(lists.fault);
}

/**
 * The cursor has the beginning of the digest over all sources: so it is noticed when something has changed, and nothing was
 * told of that.
 * @throws Unreadable
 */
function checkDigest(lines: PeerState['summaries'], { cursor, network }: PeerState): void {
  if (lines.length > MOST_SOURCES) throw unreadable(`it speaks of more than ${MOST_SOURCES} sources`);
  const summaries = lines.map(({ of, ...said }) => ({ ...said, source: sourceOfKey(of), position: 0 }));
  if (!feedDigest(summaries, network).startsWith(cursor.digest))
    throw unreadable('what it says of its sources is not the state that its cursor names', 'disagrees');
}
