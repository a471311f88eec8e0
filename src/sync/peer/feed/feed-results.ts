import { cursorText } from '../../../core/cursor.js';
import type { Following } from '../../../core/following.js';
import type { SourceRecord } from '../../../core/source-record.js';
import { type RefusedSources, union, withRefused } from '../../refused-graphs.js';
import type { PollResult, Remembered } from '../../sync-source.js';
import { mirroredOrder, withAuthorities } from '../mirrored.js';
import { pollFailure, tooManyDocuments } from '../peer-failure.js';
import { type FeedMemo, type PeerMemo, summaryMemo } from '../peer-memo.js';
import type { FeedPolling } from './feed-polling.js';
import type { FeedReader } from './feed-reader.js';
import { type Documents, documentsAfter, expectedDigests, stagedDocuments } from './staged-documents.js';

/** What a poll had to do beside reading what has changed. */
export interface Effort {
  /** How often everything was read again. */
  readonly repairs: number;
  /** Why something was read again. */
  readonly why?: string;
  /** Polls in a row in which the peer has not known the state that it had named itself. */
  readonly forgotten?: number;
}

/**
 * The result of a poll of a peer's feed: what is staged, with the digests that it must lead to, and the state of the peer
 * that it leads to; or why that is more than is taken.
 */
export async function stagedResult(
  polling: FeedPolling,
  reader: FeedReader,
  effort: Effort,
): Promise<PollResult | string> {
  const { staging, documents, dropped, pace, summaries, lists, rules, maxDocuments } = polling;
  const record = polling.stored?.record;
  const authorityOf = rules.isMirror ? mirroredOrder(lists.introduced(record)) : undefined;
  const breathe = pace();
  const staged = await stagedDocuments(polling, authorityOf, breathe);
  const changes = await withAuthorities(staged, documents, authorityOf, breathe);
  const after = documentsAfter(documents, changes);
  const tooMany = after.size > maxDocuments ? tooManyDocuments(maxDocuments) : summaries.excess;
  if (tooMany !== undefined) return tooMany;
  return {
    documents: changes,
    dropped: dropped.dropped,
    expected: expectedDigests(polling),
    remember: (now) => {
      const refused = refusedAfter(staging.refused, record, now);
      return recordAfter(polling, now, effort, {
        feed: memoAfter(polling, reader, effort),
        documents: after,
        refused,
      });
    },
    repairs: effort.repairs || undefined,
    failure: pollFailure(lists.failures),
  };
}

/**
 * The result where nothing of what the peer says could be taken. What is stored of it stays, unless it is not accepted any more.
 * @param startOver why everything has to be read again next time
 */
export function failedResult(polling: FeedPolling, effort: Effort, startOver?: string): PollResult {
  const { dropped, remembered, documents, lists } = polling;
  const feed = startOver === undefined ? remembered.feed : { ...remembered.feed, startOver };
  return {
    documents: dropped.documents,
    dropped: dropped.dropped,
    remember: (now) => {
      const refused = withRefused(now.refused, dropped.refused);
      return recordAfter(polling, now, effort, { feed, documents, refused });
    },
    repairs: effort.repairs || undefined,
    failure: pollFailure(lists.failures),
  };
}

function memoAfter(polling: FeedPolling, reader: FeedReader, { forgotten }: Effort): FeedMemo | undefined {
  const { summaries, remembered, client, lists, clock } = polling;
  const memo = remembered.feed;
  if (!reader.cursor) return memo;
  const isRead = lists.wasRead ? lists.isComplete : memo?.listsRead === true;
  const digest = lists.wasRead ? client.lists : memo?.lists;
  return {
    cursor: cursorText(reader.cursor),
    lines: [...summaries.all.values()].map(summaryMemo),
    network: reader.network,
    listsRead: isRead || undefined,
    lists: isRead ? digest : undefined,
    listsSeen: client.hasLooked ? clock.now() : memo?.listsSeen,
    pageSize: client.pageSize,
    forgotten,
  };
}

/** What a poll leaves behind. */
interface Outcome {
  readonly feed: FeedMemo | undefined;
  readonly documents: Documents;
  readonly refused: RefusedSources;
}

function recordAfter(
  { readAs, lists, clock }: FeedPolling,
  before: SourceRecord,
  effort: Effort,
  { feed, documents, refused }: Outcome,
): Remembered {
  const memo: PeerMemo = { readAs, ...lists.fingerprints, feed };
  const stored = new Set([...documents.values()].map(({ of }) => of));
  const unverified = Object.keys(refused).filter((of) => stored.has(of)).length;
  const following = followingAfter(before.following, effort, { now: clock.now(), unverified });
  return {
    memo: { ...memo },
    introduced: lists.introduced(before),
    skipped: union(Object.values(refused).flat(), []),
    refused,
    following: feed ? following : before.following,
  };
}

/** How a peer is followed after a poll of its feed. */
function followingAfter(
  before: Following | undefined,
  { repairs, why }: Effort,
  { now, unverified }: { readonly now: number; readonly unverified: number },
): Following {
  const feed = before?.by === 'feed' ? before : undefined;
  const count = (feed?.repairs ?? 0) + repairs;
  const lastRepair = why === undefined ? feed?.lastRepair : { at: now, why };
  return {
    by: 'feed',
    since: feed?.since ?? now,
    repairs: count || undefined,
    lastRepair,
    unverified: unverified || undefined,
  };
}

/**
 * The pods because of which something of the peer's sources is not accepted, after a poll that found `found`. What others
 * have noted while the poll went on stays noted.
 */
function refusedAfter(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  before: SourceRecord | undefined,
  now: SourceRecord,
): RefusedSources {
  const noted = Object.entries(now.refused ?? {}).map(([of, pods]): [string, string[]] => {
    const earlier = before?.refused?.[of] ?? [];
    return [of, pods.filter((pod) => !earlier.includes(pod))];
  });
  return withRefused(
    withRefused({}, found),
    noted.filter(([, pods]) => pods.length > 0),
  );
}
