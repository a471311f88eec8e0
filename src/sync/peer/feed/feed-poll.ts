import { parseCursor } from '../../../core/cursor.js';
import { type PeerRules, takeStatement } from '../../../core/take.js';
import type { StoredSource } from '../../../registry/source-record.js';
import { dropRefused } from '../../refused-graphs.js';
import type { Objection, PollProgress, PollResult } from '../../sync-source.js';
import { summaryOf } from '../peer-memo.js';
import { DocumentNames, type StoredDocuments } from './document-names.js';
import { FeedReader } from './feed-reader.js';
import type { Effort } from './feed-results.js';
import { FeedResults, type FeedResultsOptions } from './feed-results.js';
import { contradiction, type FailedStop, isWithoutFeed, type Stop } from './feed-stop.js';
import { PeerSummaries } from './peer-summaries.js';
import { Staging } from './staging.js';

/** Why a peer is read by its listing. */
export interface ListingReason {
  readonly why: string;
  /** See `Following`. */
  readonly needs?: number;
}

/** Polls in a row in which a peer may not know the state that it has named itself. */
const FORGOTTEN = 3;

/**
 * A peer may have told of something else in its lists than it had, and then say of all that is known of it that nothing
 * has changed. So what it says of its lists in short is looked at again after this time, in ms.
 */
const LISTS_SEEN = 2 * 60 * 60 * 1000;

const ITSELF: ListingReason = { why: 'it is this node itself' };

export interface FeedPollParts
  extends Pick<FeedResultsOptions, 'memo' | 'lists' | 'client' | 'clock' | 'staging' | 'reader'> {
  /** Polls of the peer in a row that have failed before this one. */
  readonly failures: number;
  /** What is accepted, as of the beginning of the poll. */
  readonly rules: PeerRules;
  readonly progress: Pick<PollProgress, 'limit'>;
  /** Reads the peer by its listing instead. */
  readonly byListing: (reason: ListingReason) => Promise<PollResult>;
}

/**
 * One poll of a peer by its feed. What it says is staged to the end, and stored only if that leads to the digests which the
 * peer tells; otherwise it is read again, first the sources that differ, then everything, each at most once in a poll
 * (design, section 11).
 */
export class FeedPoll {
  readonly #parts: FeedPollParts;
  readonly #results: FeedResults;
  readonly #repairs = { source: 0, whole: 0 };
  /** Why something was read again. */
  #why: string | undefined;
  #forgotten = 0;

  constructor(parts: FeedPollParts, results: FeedResults) {
    this.#parts = parts;
    this.#results = results;
  }

  async run(): Promise<PollResult> {
    const { reader, memo } = this.#parts;
    if (reader.cursor) return this.#conclude(await this.#follow());
    const { startOver } = memo ?? {};
    return this.#conclude(await (startOver === undefined ? this.#readAll() : this.#repairAll(startOver)));
  }

  async #follow(): Promise<Stop | undefined> {
    const { reader, memo } = this.#parts;
    const stop = await reader.changes();
    if (!stop) return this.#complete();
    // So much has changed that everything is not much more.
    if (stop.kind === 'room') return this.#readAll();
    if (stop.kind === 'failed') return this.#mended(stop);
    this.#forgotten = (memo?.forgotten ?? 0) + 1;
    if (this.#forgotten > FORGOTTEN) return stop;
    return this.#repairAll(`it does not know the state any more that was read last (${stop.why})`);
  }

  /** Reads what the changes alone do not tell: what is accepted again. */
  async #complete(): Promise<Stop | undefined> {
    const { reader } = this.#parts;
    const stop = (await reader.unknownSummaries()) ?? (await reader.sources(this.#acceptedAgain()));
    return stop && this.#mended(stop);
  }

  /** Sources of which something was refused because of a pod that this node does not read any more, or takes from this peer now. */
  #acceptedAgain(): string[] {
    const { staging, rules } = this.#parts;
    const isRefused = ([of, pods]: readonly [string, ReadonlySet<string>]) =>
      [...pods].every(
        (graph) => takeStatement({ graph, isStored: staging.holds(of), of }, rules) !== 'taken',
      );
    return [...staging.refused].filter((one) => !isRefused(one)).map(([of]) => of);
  }

  async #readAll(): Promise<Stop | undefined> {
    const { lists, reader } = this.#parts;
    await lists.read();
    if (lists.isSelf || lists.isGone) return undefined;
    const stop = await reader.all();
    return stop?.kind === 'unknown' ? contradiction(stop.why) : stop;
  }

  #repairAll(why: string): Promise<Stop | undefined> {
    this.#repairs.whole += 1;
    this.#why = why;
    return this.#readAll();
  }

  /** What cannot be understood, or leads nowhere, is read anew: everything together may be all right. */
  async #mended(stop: Stop): Promise<Stop | undefined> {
    if (stop.kind === 'room') return stop;
    const failed = stop.kind === 'unknown' ? contradiction(stop.why) : stop;
    const { malformed, message } = failed.failure;
    return malformed && this.#repairs.whole === 0
      ? this.#repairAll(`GET ${failed.path}: ${message}`)
      : failed;
  }

  async #conclude(stop: Stop | undefined): Promise<PollResult> {
    const { lists, memo, failures, staging, byListing } = this.#parts;
    if (lists.isSelf) return byListing(ITSELF);
    if (lists.isGone) return this.#results.failed(this.#effort);
    if (stop?.kind === 'room')
      return byListing({ why: 'it says more than this node keeps', needs: stop.needs });
    if (stop?.kind === 'unknown') {
      return byListing({ why: `it does not know the states that it names itself (${stop.why})` });
    }
    if (stop && isWithoutFeed(stop, { wasFollowed: memo !== undefined, failures })) {
      return byListing({ why: `GET ${stop.path}: ${stop.failure.message}` });
    }
    if (stop) return this.#failed(stop);
    await this.#readLists();
    if (lists.isSelf) return byListing(ITSELF);
    const result = await this.#results.staged(this.#effort);
    if (typeof result !== 'string')
      return { ...result, otherwise: (objection) => this.#otherwise(objection) };
    // Changes alone do not show which documents are left without anything to say: they go.
    if (!staging.isEverything) return this.#conclude(await this.#readAll());
    return this.#failed({ kind: 'failed', path: '/feed', failure: { kind: 'failed', message: result } });
  }

  /** Both lists, unless they are what was read before. What then is not what the peer says of them is read again next time. */
  async #readLists(): Promise<void> {
    const { lists, memo, reader, client, clock } = this.#parts;
    const seen = memo?.listsSeen;
    const isLongAgo = seen !== undefined && (clock.now() - seen >= LISTS_SEEN || clock.now() < seen);
    if (isLongAgo && memo?.cursor !== undefined && !client.hasLooked) await client.lookAtLists(memo.cursor);
    const isKnown = client.lists === undefined || client.lists === memo?.lists;
    const isSame = memo?.hops === lists.hops && reader.network === memo?.network;
    if (!isSame || !memo?.listsRead || !isKnown) await lists.read();
    if (lists.wasRead && lists.isComplete && client.lists !== undefined) lists.compare(client.lists);
  }

  #failed({ path, failure }: FailedStop): PollResult {
    this.#parts.lists.failures.set(path, failure);
    return this.#results.failed(
      this.#effort,
      failure.malformed ? `GET ${path}: ${failure.message}` : undefined,
    );
  }

  async #otherwise(objection: Objection): Promise<PollResult | undefined> {
    const { staging, progress, reader } = this.#parts;
    if (objection.reason === 'room') {
      return this.#conclude({ kind: 'room', needs: progress.limit.components + 1 });
    }
    if (objection.reason === 'shrink') {
      return staging.isEverything ? undefined : this.#conclude(await this.#readAll());
    }
    const why = `what it says does not lead to the digests that it tells (${shown(objection.differing)})`;
    if (this.#repairs.source === 0) {
      this.#repairs.source += 1;
      this.#why = why;
      const stop = await reader.sources(objection.differing);
      return this.#conclude(stop ? await this.#mended(stop) : await this.#complete());
    }
    if (this.#repairs.whole === 0) return this.#conclude(await this.#repairAll(why));
    return this.#failed({
      kind: 'failed',
      path: '/feed',
      failure: { kind: 'failed', malformed: true, message: `${why}, also when it is read again` },
    });
  }

  get #effort(): Effort {
    const { source, whole } = this.#repairs;
    const repairs = source + whole > 0 ? { source, whole } : undefined;
    return { repairs, why: this.#why, forgotten: this.#forgotten || undefined };
  }
}

/** Some of the sources, for people. */
function shown(sources: readonly string[]): string {
  const more = sources.length > 3 ? `, and ${sources.length - 3} more` : '';
  return sources.slice(0, 3).join(', ') + more;
}

/** What a poll is given; the rest is made of it. */
interface FeedPollOptions
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
