import { parseCursor } from '../../../core/cursor.js';
import type { StoredSource } from '../../../registry/source-record.js';
import { dropRefused } from '../../refused-graphs.js';
import type { PollProgress, PollResult } from '../../sync-source.js';
import { summaryOf } from '../peer-memo.js';
import { DocumentNames, type StoredDocuments } from './document-names.js';
import { FeedPoll, type FeedPollParts } from './feed-poll.js';
import { FeedReader } from './feed-reader.js';
import { FeedResults, type FeedResultsOptions } from './feed-results.js';
import { PeerSummaries } from './peer-summaries.js';
import { Staging } from './staging.js';

/** What a poll is given; the rest is made of it. */
export interface FeedPollOptions
  extends Pick<FeedPollParts, 'rules' | 'byListing'>,
    Pick<FeedResultsOptions, 'readAs' | 'clock' | 'pace' | 'maxDocuments' | 'memo' | 'lists' | 'client'> {
  readonly stored: StoredSource | undefined;
  readonly progress: PollProgress;
}

/** Polls a peer by its feed. Rejects when it is stopped. */
export async function pollFeed(options: FeedPollOptions): Promise<PollResult> {
  const { memo, rules, progress, pace, client } = options;
  const record = options.stored?.record;
  const stored: StoredDocuments = options.stored?.documents ?? new Map();
  const droppedGraphs = await dropRefused(options.stored, rules, pace());
  const names = new DocumentNames(stored, rules);
  const staging = stagingOf(options, names);
  for (const [of, pods] of Object.entries(record?.refused ?? {})) staging.refuse(of, pods);
  for (const [of, pods] of droppedGraphs.refused) staging.refuse(of, pods);
  const cursor = memo?.startOver === undefined ? parseCursor(memo?.cursor ?? '') : undefined;
  // A number that was told of the lists within other hops says nothing of those that are asked for now.
  const network = memo?.hops === options.lists.hops ? memo?.network : undefined;
  const state = cursor && { cursor, network };
  const summaries = new PeerSummaries(cursor && memo?.lines?.map(summaryOf));
  const room = progress.limit.components;
  const reader = new FeedReader({ client, rules, staging, summaries, room, breathe: pace() }, state);
  const { failures = 0 } = record ?? {};
  const parts = { ...options, failures, staging, reader, summaries, names, droppedGraphs, stored, record };
  return new FeedPoll(parts, new FeedResults(parts)).run();
}

function stagingOf({ rules, progress, maxDocuments }: FeedPollOptions, names: DocumentNames): Staging {
  const isStored = (of: string, graph: string) => names.known(of, graph) !== undefined;
  const holds = (of: string) => names.holds(of);
  return new Staging({ rules, limit: progress.limit, maxDocuments, isStored, holds });
}
