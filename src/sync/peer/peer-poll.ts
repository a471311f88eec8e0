import type { Vocabulary } from '../../component/vocabulary.js';
import type { PeerRules } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { Parsing } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Following, StoredSource } from '../../registry/source-record.js';
import type { PollProgress, PollResult } from '../sync-source.js';
import type { AskedPart } from './asked-part.js';
import type { Dialect } from './dialect.js';
import { FeedClient } from './feed/feed-client.js';
import type { ListingReason } from './feed/feed-poll.js';
import { pollFeed } from './feed/feed-poll.js';
import { ListingPoll } from './listing-poll.js';
import { PeerLists } from './peer-lists.js';
import { type PeerMemo, peerMemo } from './peer-memo.js';
import type { PeerRequest } from './peer-request.js';

export interface PeerPollOptions {
  /** As configured or learned. */
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly request: PeerRequest;
  readonly dialect: Dialect;
  /** What of the peer is asked for, as of the beginning of the poll. */
  readonly part: AskedPart;
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  /** What is accepted, as of now: that depends on the pods which this node reads itself. */
  readonly rules: () => PeerRules;
  readonly maxDocuments: number;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly stored: StoredSource | undefined;
  readonly progress: PollProgress;
}

/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;

/** One poll of one peer: by its change feed where it has one, else by its listing. Rejects when it is stopped. */
export class PeerPoll {
  readonly #options: PeerPollOptions;
  readonly #peer: string;
  readonly #known: PeerMemo;
  readonly #lists: PeerLists;
  readonly #now: number;

  constructor(options: PeerPollOptions) {
    this.#options = options;
    this.#peer = withoutTrailingSlashes(options.url);
    this.#now = options.clock.now();
    const memo = peerMemo(options.stored?.record);
    // Without what is remembered of its resources, everything is read in full.
    this.#known = memo.readAs === options.readAs ? memo : {};
    const { stored, ...more } = options;
    this.#lists = new PeerLists({ ...more, peer: this.#peer, known: this.#known, record: stored?.record });
  }

  run(): Promise<PollResult> {
    const following = this.#following;
    const isRead = following?.by === 'listing' && !this.#looksAgain(following);
    return isRead ? this.#byListing(following) : this.#byFeed();
  }

  get #following(): Following | undefined {
    return this.#options.stored?.record.following;
  }

  /** Once a day, and when there is room for what there was none for. */
  #looksAgain({ looked, needs }: Following & { by: 'listing' }): boolean {
    const { limit } = this.#options.progress;
    const isOver = this.#now - looked >= DAY || this.#now < looked;
    return isOver || (needs !== undefined && limit.components >= needs);
  }

  #byFeed(): Promise<PollResult> {
    const { request, progress, parsing, rules, part } = this.#options;
    const memo = this.#known.feed;
    const asking = { peer: this.#peer, request, progress, parsing, part, pageSize: memo?.pageSize };
    return pollFeed({
      ...this.#options,
      memo,
      lists: this.#lists,
      client: new FeedClient(asking),
      rules: rules(),
      byListing: (reason) => this.#byListing(this.#withoutFeed(reason)),
    });
  }

  #withoutFeed({ why, needs }: ListingReason): Following & { by: 'listing' } {
    const before = this.#following;
    const since = before?.by === 'listing' ? before.since : this.#now;
    return { by: 'listing', since, why, looked: this.#now, needs };
  }

  #byListing(following: Following): Promise<PollResult> {
    const known = this.#known.component;
    const parts = { peer: this.#peer, lists: this.#lists, known, following };
    return new ListingPoll({ ...this.#options, ...parts }).run();
  }
}
