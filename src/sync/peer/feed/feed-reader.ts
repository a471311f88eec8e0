import { type Cursor, cursorText } from '../../../core/cursor.js';
import type { Batch, DocumentReading } from '../../../core/reading.js';
import { partOf } from '../../batches.js';
import { authoritiesOf, otherAuthorities } from '../mirrored.js';
import { pollFailure } from '../peer-failure.js';
import type { PeerLists } from '../peer-lists.js';
import { memoAfter, type PeerPolling } from '../peer-memo.js';
import type { PeerFailure } from '../peer-request.js';
import { feedPages, type ReadPage } from './feed-pages.js';
import { FeedRun } from './feed-run.js';
import { FeedStop } from './feed-stop.js';
import { PeerSources } from './peer-sources.js';

/** The pages of a run that say where it begins and ends: the same one when there is one. */
interface Ends {
  readonly first: ReadPage;
  readonly last: ReadPage;
}

/**
 * Reads a peer by its feed: what has changed since a state that was read before, or all that it says. What has changed comes
 * in batches while it is read; what is removed waits for the last one. All that the peer says is held until its end has come,
 * as much as a node keeps of it.
 * @throws FeedStop when there is no end
 */
export async function* readFeed(
  polling: PeerPolling,
  lists: PeerLists,
  since?: Cursor,
): AsyncGenerator<Batch> {
  const run = new FeedRun(polling, since === undefined);
  const sources = new PeerSources(since && polling.remembered.feed?.lines);
  const touched = new Set<string>();
  let ends: Ends | undefined;
  for await (const page of feedPages(polling, since)) {
    if (!ends) {
      await readLists(polling, lists, page);
      if (!since) sources.update(page.summaries, []);
    }
    ends = { first: ends?.first ?? page, last: page };
    const from = (since ?? ends.first.cursor).position;
    for (const change of page.changes) {
      if (change.position > from) touched.add(change.of);
      if (since && run.isFull)
        yield { put: run.takePut(authoritiesOf(polling, lists)), gone: [], isLast: false };
      run.add(change);
      if (!since && run.isOver) throw new FeedStop(TOO_MUCH, 'room');
    }
  }
  if (!ends) return yield await unchanged(polling, lists);
  if (since || ends.last !== ends.first) sources.update(ends.last.summaries, touched);
  sources.check(ends.last.cursor, ends.last.network);
  const authorityOf = authoritiesOf(polling, lists);
  const held: DocumentReading[] = [];
  const said = new Set<string>();
  for (const reading of run.readings(authorityOf)) {
    said.add(reading.url);
    // What has changed is less than a batch by now, and removes.
    if (since) held.push(reading);
    else yield partOf(reading);
  }
  const gone = since ? [] : run.vanished;
  yield {
    put: [...held, ...otherAuthorities(polling, [...said, ...gone], authorityOf)],
    gone,
    isLast: true,
    complete: true,
    isWhole: since === undefined,
    failure: pollFailure(lists.failures),
    digests: sources.digests,
    ...memoOf(polling, lists, sources, ends),
  };
}

const TOO_MUCH: PeerFailure = { kind: 'failed', message: 'it says more than this node keeps' };

/**
 * The cursor covers both lists: they are asked for when they have moved, and when they could not be read in its state. Of a peer
 * that was put back to an earlier state, the same number may stand for other lists, and so may their tags.
 */
async function readLists(
  { remembered: { feed } }: PeerPolling,
  lists: PeerLists,
  page?: Pick<ReadPage, 'network' | 'lists'>,
): Promise<void> {
  const hasMoved = page !== undefined && page.network !== feed?.network;
  if (feed?.areListsRead && !hasMoved && lists.mayBe(page?.lists)) return;
  if (!hasMoved && page?.lists !== undefined) lists.compare(page.lists);
  await lists.read();
  if (lists.fault) throw new FeedStop(lists.fault);
  if (page?.lists !== undefined && lists.areRead) lists.compare(page.lists);
}

async function unchanged(polling: PeerPolling, lists: PeerLists): Promise<Batch> {
  const { remembered, stored, readAs } = polling;
  await readLists(polling, lists);
  const failure = pollFailure(lists.failures);
  const last = { put: [], gone: [], isLast: true, complete: true, failure };
  if (!lists.areRead) return last;
  const memo = { readAs, ...lists.memos, feed: { ...remembered.feed, areListsRead: true } };
  const put = otherAuthorities(polling, [], authoritiesOf(polling, lists));
  const { following } = stored?.record ?? {};
  return { ...last, put, ...memoAfter(stored?.record, { memo, introduced: lists.introduced, following }) };
}

function memoOf(
  { readAs, stored, remembered, clock }: PeerPolling,
  lists: PeerLists,
  { lines }: PeerSources,
  { first, last }: Ends,
): Pick<Batch, 'memo'> {
  const { feed } = remembered;
  const { following } = stored?.record ?? {};
  const areListsRead = lists.areRead || (feed?.areListsRead === true && feed.network === first.network);
  return memoAfter(stored?.record, {
    memo: {
      readAs,
      ...lists.memos,
      feed: {
        cursor: cursorText(last.cursor),
        lines,
        network: first.network,
        areListsRead,
        pageSize: last.pageSize,
      },
    },
    introduced: lists.introduced,
    following: { by: 'feed', since: following?.by === 'feed' ? following.since : clock.now() },
  });
}
