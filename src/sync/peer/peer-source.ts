import type { Vocabulary } from '../../component/vocabulary.js';
import type { Config } from '../../config.js';
import type { Following } from '../../core/following.js';
import type { StatementRules } from '../../core/take.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { PollResult, SyncSource } from '../sync-source.js';
import { Dialect } from './dialect.js';
import { type ListingReason, pollFeed } from './feed/feed-poll.js';
import { pollListing } from './listing-poll.js';
import { PeerLists } from './peer-lists.js';
import { peerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';
import { createPeerRequest, type PeerAccess } from './peer-request.js';
import { peerStream } from './peer-stream.js';

export interface PeerOptions extends PeerAccess {
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly mode: Config['mode'];
  readonly vocabulary: Vocabulary;
  /** Parses what the peer answers. */
  readonly pool: TaskPool;
  /** By which rules its statements are taken, as of now. */
  readonly rules: () => StatementRules;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
  readonly pace: Pace;
  readonly log: LogTo<'error'>;
}

/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerSource(options: PeerOptions): SyncSource {
  const { url, mode, vocabulary, pool, trust } = options;
  const request = createPeerRequest(options);
  const dialect = new Dialect(request);
  const isMirror = mode === 'mirror';
  // The last word is there because earlier versions asked for a part alone: what they remember is read again.
  const readAs = `${mode} ${vocabulary.namespace} whole`;
  const rules = () => ({ ...options.rules(), peer: url, isMirror });
  return {
    source: { kind: 'peer', url },
    trust,
    poll: (stored, progress) => {
      const parsing = { pool, lane: trust, signal: progress.signal };
      const memo = peerMemo(stored?.record);
      const remembered = memo.readAs === readAs ? memo : {};
      const asking = {
        peer: withoutTrailingSlashes(url),
        request,
        dialect,
        parsing,
        readAs,
        rules,
        remembered,
      };
      return pollPeer({ ...options, ...asking, stored, progress });
    },
    stream: () => peerStream(options, { url, trust }),
  };
}

type ByListing = Following & { by: 'listing' };

/** Polls a peer once: by its change feed where it has one, else by its listing. Rejects when it is stopped. */
function pollPeer(polling: PeerPolling): Promise<PollResult> {
  const { following } = polling.stored?.record ?? {};
  const lists = new PeerLists(polling);
  const before = following?.by === 'listing' ? following : undefined;
  if (before && !looksAgain(before, polling)) return pollListing(polling, lists, before);
  const now = polling.clock.now();
  return pollFeed(polling, lists, ({ why, needs }: ListingReason) =>
    pollListing(polling, lists, { by: 'listing', since: before?.since ?? now, why, looked: now, needs }),
  );
}

/** Once a day, and when there is room for what there was none for. */
function looksAgain({ looked, needs }: ByListing, { progress, clock }: PeerPolling): boolean {
  const now = clock.now();
  const isOver = now - looked >= DAY || now < looked;
  return isOver || (needs !== undefined && progress.limit.components >= needs);
}
