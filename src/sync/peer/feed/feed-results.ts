import { cursorText } from '../../../core/cursor.js';
import type { PeerRules } from '../../../core/take.js';
import type { RepairCount } from '../../../explain/poll-report.js';
import type { Clock } from '../../../lib/clock.js';
import type { Pace } from '../../../lib/pace.js';
import type { Following, SourceRecord } from '../../../registry/source-record.js';
import { type DroppedGraphs, type RefusedSources, union, withRefused } from '../../refused-graphs.js';
import type { PollResult, Remembered } from '../../sync-source.js';
import { tooManyDocuments } from '../listing-body.js';
import { mirroredOrder, withAuthorities } from '../mirrored.js';
import { pollFailure } from '../peer-failure.js';
import type { PeerLists } from '../peer-lists.js';
import { type FeedMemo, type PeerMemo, summaryMemo } from '../peer-memo.js';
import type { DocumentNames, StoredDocuments } from './document-names.js';
import type { FeedClient } from './feed-client.js';
import type { FeedReader } from './feed-reader.js';
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
    const memo: PeerMemo = { readAs, ...lists.fingerprints, feed };
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

/** What a poll had to do beside reading what has changed. */
export interface Effort {
  readonly repairs?: RepairCount;
  /** Why something was read again. */
  readonly why?: string;
  /** Polls in a row in which the peer has not known the state that it had named itself. */
  readonly forgotten?: number;
}

/** How a peer is followed after a poll of its feed. */
function followingAfter(
  before: Following | undefined,
  { repairs, why }: Effort,
  { now, unverified }: { readonly now: number; readonly unverified: number },
): Following {
  const known = before?.by === 'feed' ? before : undefined;
  const count = (known?.repairs ?? 0) + (repairs?.source ?? 0) + (repairs?.whole ?? 0);
  const lastRepair = why === undefined ? known?.lastRepair : { at: now, why };
  return {
    by: 'feed',
    since: known?.since ?? now,
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
    const known = before?.refused?.[of] ?? [];
    return [of, pods.filter((pod) => !known.includes(pod))];
  });
  return withRefused(
    withRefused({}, found),
    noted.filter(([, pods]) => pods.length > 0),
  );
}

function podsIn(refused: RefusedSources): readonly string[] {
  return union(Object.values(refused).flat(), []);
}
