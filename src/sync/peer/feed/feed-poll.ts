import { parseCursor } from '../../../core/cursor.js';
import type { StoredDocument } from '../../../core/source-record.js';
import { takeStatement } from '../../../core/take.js';
import { dropRefused } from '../../refused-graphs.js';
import type { Objection, PollResult } from '../../sync-source.js';
import type { PeerLists } from '../peer-lists.js';
import { summaryOf } from '../peer-memo.js';
import type { PeerPolling } from '../peer-polling.js';
import { DocumentNames } from './document-names.js';
import { FeedClient } from './feed-client.js';
import type { FeedPolling } from './feed-polling.js';
import { FeedReader } from './feed-reader.js';
import { type Effort, failedResult, stagedResult } from './feed-results.js';
import { contradiction, type FeedFailure, isWithoutFeed, malformed, type Stop } from './feed-stop.js';
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

/** Reads the peer by its listing instead. */
type ByListing = (reason: ListingReason) => Promise<PollResult>;

/**
 * One poll of a peer by its feed. What it says is staged to the end, and stored only if that leads to the digests which the
 * peer tells; otherwise the poll fails, and the next one reads everything (design, section 11).
 */
class FeedPoll {
  readonly #polling: FeedPolling;
  readonly #reader: FeedReader;
  readonly #byListing: ByListing;
  /** How often everything was read again, and why. */
  #repairs = 0;
  #why: string | undefined;
  #forgotten = 0;

  constructor(polling: FeedPolling, reader: FeedReader, byListing: ByListing) {
    this.#polling = polling;
    this.#reader = reader;
    this.#byListing = byListing;
  }

  async run(): Promise<PollResult> {
    if (this.#reader.cursor) return this.#conclude(await this.#follow());
    const { startOver } = this.#polling.remembered.feed ?? {};
    return this.#conclude(await (startOver === undefined ? this.#readAll() : this.#repairAll(startOver)));
  }

  async #follow(): Promise<Stop | undefined> {
    const stop = await this.#reader.changes();
    if (!stop) return this.#complete();
    // So much has changed that everything is not much more.
    if (stop.kind === 'room') return this.#readAll();
    if (stop.kind === 'failed') return this.#mended(stop);
    this.#forgotten = (this.#polling.remembered.feed?.forgotten ?? 0) + 1;
    if (this.#forgotten > FORGOTTEN) return stop;
    return this.#repairAll(`it does not know the state any more that was read last (${stop.why})`);
  }

  /** Reads what the changes alone do not tell: what is accepted again. */
  async #complete(): Promise<Stop | undefined> {
    const stop = await this.#reader.unknownSummaries();
    if (stop) return this.#mended(stop);
    const doubted = this.#doubted();
    if (doubted.length > 0 && this.#repairs === 0)
      return this.#repairAll(`some of its changes describe no components (${shown(doubted)})`);
    return this.#isMoreAccepted() ? this.#readAll() : undefined;
  }

  /** Sources some of whose changes have said what is no component: when all of the peer is read, that may be right. */
  #doubted(): string[] {
    const { staging } = this.#polling;
    return staging.wrong.sources.filter((of) => !staging.isWhole(of));
  }

  /** Was something refused because of a pod that this node does not read any more, or takes from this peer now? */
  #isMoreAccepted(): boolean {
    const { staging, names, rules } = this.#polling;
    return [...staging.refused].some(([of, pods]) =>
      [...pods].some(
        (graph) => takeStatement({ graph, isStored: names.isStored(of), of }, rules) === 'taken',
      ),
    );
  }

  async #readAll(): Promise<Stop | undefined> {
    const { lists } = this.#polling;
    await lists.read();
    if (lists.isSelf || lists.isGone) return undefined;
    const stop = await this.#reader.all();
    return stop?.kind === 'unknown' ? contradiction(stop.why) : stop;
  }

  #repairAll(why: string): Promise<Stop | undefined> {
    this.#repairs += 1;
    this.#why = why;
    return this.#readAll();
  }

  /** What cannot be understood, or leads nowhere, is read anew: everything together may be all right. */
  async #mended(stop: Stop): Promise<Stop | undefined> {
    if (stop.kind === 'room') return stop;
    const failed = stop.kind === 'unknown' ? contradiction(stop.why) : stop;
    return failed.malformed && this.#repairs === 0
      ? this.#repairAll(`GET ${failed.path}: ${failed.message}`)
      : failed;
  }

  async #conclude(stop: Stop | undefined): Promise<PollResult> {
    const { lists, remembered, stored, staging } = this.#polling;
    if (stop?.kind === 'failed' && stop.reason === 'self') lists.failures.set(stop.path, stop);
    if (lists.isSelf) return this.#byListing(ITSELF);
    if (lists.isGone) return failedResult(this.#polling, this.#effort);
    if (stop?.kind === 'room')
      return this.#byListing({ why: 'it says more than this node keeps', needs: stop.needs });
    if (stop?.kind === 'unknown') {
      return this.#byListing({ why: `it does not know the states that it names itself (${stop.why})` });
    }
    const { failures = 0 } = stored?.record ?? {};
    if (stop && isWithoutFeed(stop, { wasFollowed: remembered.feed !== undefined, failures })) {
      return this.#byListing({ why: `GET ${stop.path}: ${stop.message}` });
    }
    if (stop) return this.#failed(stop);
    await this.#readLists();
    if (lists.isSelf) return this.#byListing(ITSELF);
    const result = await stagedResult(this.#polling, this.#reader, this.#effort);
    if (typeof result !== 'string')
      return { ...result, otherwise: (objection) => this.#otherwise(objection) };
    // Changes alone do not show which documents are left without anything to say: they go.
    if (!staging.isEverything) return this.#conclude(await this.#readAll());
    return this.#failed({ kind: 'failed', path: '/feed', message: result });
  }

  /** Both lists, unless they are what was read before. What then is not what the peer says of them is read again next time. */
  async #readLists(): Promise<void> {
    const { lists, remembered, client, clock } = this.#polling;
    const memo = remembered.feed;
    const seen = memo?.listsSeen;
    const isLongAgo = seen !== undefined && (clock.now() - seen >= LISTS_SEEN || clock.now() < seen);
    if (isLongAgo && memo?.cursor !== undefined && !client.hasLooked) await client.lookAtLists(memo.cursor);
    const isKnown = client.lists === undefined || client.lists === memo?.lists;
    const isSame = this.#reader.network === memo?.network;
    if (!isSame || !memo?.listsRead || !isKnown) await lists.read();
    if (lists.wasRead && lists.isComplete && client.lists !== undefined) lists.compare(client.lists);
  }

  #failed(failure: FeedFailure): PollResult {
    const { path, malformed, message } = failure;
    this.#polling.lists.failures.set(path, failure);
    return failedResult(this.#polling, this.#effort, malformed ? `GET ${path}: ${message}` : undefined);
  }

  async #otherwise(objection: Objection): Promise<PollResult | undefined> {
    const { staging, progress } = this.#polling;
    if (objection.reason === 'room') {
      return this.#conclude({ kind: 'room', needs: progress.limit.components + 1 });
    }
    if (objection.reason === 'shrink') {
      return staging.isEverything ? undefined : this.#conclude(await this.#readAll());
    }
    const why = `what it says does not lead to the digests that it tells (${shown(objection.differing)})`;
    return this.#failed(
      malformed('/feed', staging.isEverything ? `${why}, also when all of it is read` : why),
    );
  }

  get #effort(): Effort {
    return { repairs: this.#repairs, why: this.#why, forgotten: this.#forgotten || undefined };
  }
}

/** Some of the sources, for people. */
function shown(sources: readonly string[]): string {
  const more = sources.length > 3 ? `, and ${sources.length - 3} more` : '';
  return sources.slice(0, 3).join(', ') + more;
}

/** Polls a peer by its feed. Rejects when it is stopped. */
export async function pollFeed(
  polling: PeerPolling,
  lists: PeerLists,
  byListing: ByListing,
): Promise<PollResult> {
  const { remembered, progress, maxDocuments, stored, pace } = polling;
  const memo = remembered.feed;
  const rules = polling.rules();
  const documents = stored?.documents ?? new Map<string, StoredDocument>();
  const dropped = await dropRefused(stored, rules, pace());
  const names = new DocumentNames(documents, rules);
  const staging = new Staging({ rules, names, limit: progress.limit, maxDocuments });
  for (const [of, pods] of Object.entries(stored?.record.refused ?? {})) staging.refuse(of, pods);
  for (const [of, pods] of dropped.refused) staging.refuse(of, pods);
  const cursor = memo?.startOver === undefined ? parseCursor(memo?.cursor ?? '') : undefined;
  const summaries = new PeerSummaries(cursor && memo?.lines?.map(summaryOf));
  const client = new FeedClient(polling);
  const parts = { ...polling, rules, lists, client, documents, dropped, names, staging, summaries };
  const reader = new FeedReader(parts, cursor && { cursor, network: memo?.network });
  return new FeedPoll(parts, reader, byListing).run();
}
