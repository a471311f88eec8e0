import { cursorText } from '../../../core/cursor.js';
import type { PeerRules } from '../../../core/take.js';
import type { Clock } from '../../../lib/clock.js';
import type { Pace } from '../../../lib/pace.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import { type DroppedGraphs, type RefusedSources, withRefused } from '../../refused-graphs.js';
import type { PollResult, Remembered } from '../../sync-source.js';
import { tooManyDocuments } from '../listing-body.js';
import { mirroredOrder, withAuthorities } from '../mirrored.js';
import { pollFailure } from '../peer-failure.js';
import type { PeerLists } from '../peer-lists.js';
import { type FeedMemo, type PeerMemo, summaryMemo } from '../peer-memo.js';
import type { DocumentNames, StoredDocuments } from './document-names.js';
import type { FeedClient } from './feed-client.js';
import type { FeedReader } from './feed-reader.js';
import { type Effort, followingAfter, podsIn, refusedAfter } from './feed-record.js';
import type { PeerSummaries } from './peer-summaries.js';
import { type Documents, documentsAfter, expectedDigests, stagedDocuments } from './staged-documents.js';
import type { Staging } from './staging.js';

export interface FeedResultsOptions {
  readonly readAs: string;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly maxDocuments: number;
  readonly memo: FeedMemo | undefined;
  readonly lists: PeerLists;
  readonly client: FeedClient;
  readonly record: SourceRecord | undefined;
  readonly stored: StoredDocuments;
  /** What of that is not accepted any more. */
  readonly droppedGraphs: DroppedGraphs;
  readonly names: DocumentNames;
  readonly staging: Staging;
  readonly reader: FeedReader;
  readonly summaries: PeerSummaries;
  readonly rules: PeerRules;
}

/** Makes results of what a poll of a peer's feed has read. */
export class FeedResults {
  readonly #options: FeedResultsOptions;

  constructor(options: FeedResultsOptions) {
    this.#options = options;
  }

  /**
   * What is staged, with the digests that it must lead to, and the state of the peer that it leads to; or why that is
   * more than is taken.
   */
  async staged(effort: Effort): Promise<PollResult | string> {
    const { staging, stored, names, droppedGraphs, pace, summaries, lists, rules, maxDocuments } =
      this.#options;
    const { record = { failures: 0 } } = this.#options;
    const authorityOf = rules.isMirror ? mirroredOrder(lists.introduced(record)) : undefined;
    const breathe = pace();
    const parts = { staging, stored, names, droppedGraphs, authorityOf, breathe };
    const documents = await withAuthorities(await stagedDocuments(parts), stored, authorityOf, breathe);
    const after = documentsAfter(stored, documents);
    const tooMany = after.size > maxDocuments ? tooManyDocuments(maxDocuments) : summaries.excess;
    if (tooMany !== undefined) return tooMany;
    const failure = pollFailure(lists.failures);
    return {
      documents,
      dropped: droppedGraphs.dropped,
      expected: expectedDigests(staging, summaries),
      remember: (now) =>
        this.#remembered(now, effort, {
          feed: this.#memoAfter(effort),
          documents: after,
          refused: refusedAfter(staging.refused, this.#options.record, now),
        }),
      repairs: effort.repairs,
      failure,
    };
  }

  /**
   * Nothing of what the peer says could be taken. What is stored of it stays, unless it is not accepted any more.
   * @param startOver why everything has to be read again next time
   */
  failed(effort: Effort, startOver?: string): PollResult {
    const { droppedGraphs, memo, stored, lists } = this.#options;
    const failure = pollFailure(lists.failures);
    const again = startOver === undefined ? memo : { ...memo, startOver };
    return {
      documents: droppedGraphs.documents,
      dropped: droppedGraphs.dropped,
      remember: (now) =>
        this.#remembered(now, effort, {
          feed: again,
          documents: stored,
          refused: withRefused(now.refused, droppedGraphs.refused),
        }),
      repairs: effort.repairs,
      failure,
    };
  }

  #memoAfter({ forgotten }: Effort): FeedMemo | undefined {
    const { reader, summaries, memo, client, lists, clock } = this.#options;
    const { network } = reader;
    if (!reader.cursor) return memo;
    const isRead = lists.wasRead ? lists.isComplete : memo?.listsRead === true;
    const seen = client.hasLooked ? clock.now() : memo?.listsSeen;
    const digest = lists.wasRead ? client.lists : memo?.lists;
    const { hops } = lists;
    return {
      cursor: cursorText(reader.cursor),
      lines: [...summaries.all.values()].map(summaryMemo),
      hops,
      network,
      listsRead: isRead || undefined,
      lists: isRead ? digest : undefined,
      listsSeen: seen,
      pageSize: client.pageSize,
      forgotten,
    };
  }

  #remembered(now: SourceRecord, effort: Effort, { feed, documents, refused }: Known): Remembered {
    const { readAs, lists, clock } = this.#options;
    const memo: PeerMemo = { readAs, ...lists.marks, feed };
    const held = new Set([...documents.values()].map(({ of }) => of));
    const unverified = Object.keys(refused).filter((of) => held.has(of)).length;
    const following = followingAfter(now.following, effort, { now: clock.now(), unverified });
    return {
      memo: { ...memo },
      introduced: lists.introduced(now),
      skipped: podsIn(refused),
      refused,
      following: feed ? following : now.following,
    };
  }
}

/** What is known of the peer after a poll. */
interface Known {
  readonly feed: FeedMemo | undefined;
  readonly documents: Documents;
  readonly refused: RefusedSources;
}
