import type { Config } from '../../config.js';
import { type Cursor, parseCursor } from '../../core/cursor.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch } from '../../core/reading.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { Unreadable } from '../failures.js';
import { peerStream } from '../push/listening.js';
import type { ReaderParts } from '../request.js';
import type { SourceReader } from '../source-reader.js';
import { NoFeed, readFeed } from './feed-reader.js';
import { readListing } from './listing-reader.js';
import { failedPoll } from './peer-batches.js';
import { PeerLists } from './peer-lists.js';
import { type PeerPolling, peerMemo } from './peer-memo.js';
import { createPeerRequest, type PeerAccess } from './peer-request.js';

export interface PeerOptions extends ReaderParts, Pick<PeerAccess, 'epoch'> {
  /** The URL of the node that polls. */
  readonly self: string;
  readonly mode: Config['mode'];
}

/** Of what is remembered of a peer: what was remembered in another one is forgotten. */
const FORMAT = 2;
/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;
/** Answers to a state that is not known; to one that answers 400, not even how its own states are written is known. */
const UNKNOWN_STATE: readonly (number | undefined)[] = [400, 410];

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerReader(options: PeerOptions): SourceReader {
  const { url, self, mode, vocabulary, pool, maxDocuments, clock, trust } = options;
  const request = createPeerRequest(options);
  const readAs = `${FORMAT} ${mode} ${vocabulary.namespace}`;
  return {
    source: { kind: 'peer', url },
    trust,
    read: (stored, limits, signal) => {
      const memo = peerMemo(stored?.record);
      return readPeer({
        ...{ url, self, vocabulary, maxDocuments, clock, readAs, stored, limits, signal },
        peer: withoutTrailingSlashes(url),
        isMirror: mode === 'mirror',
        ask: (address, accept, before = {}) => request(address, accept, before, signal),
        parsing: { pool, lane: trust, signal },
        remembered: memo.readAs === readAs ? memo : {},
      });
    },
    stream: () => peerStream(options),
  };
}

/** Reads a peer once: by its change feed where it has one, else by its listing. */
async function* readPeer(polling: PeerPolling): AsyncGenerator<Batch> {
  const { stored, remembered, clock, limits } = polling;
  const { following } = stored?.record ?? {};
  const lists = new PeerLists(polling);
  const anew = [...(stored?.documents.values() ?? [])].some((one) => fitsMore(one, limits.room));
  const now = clock.now();
  if (following?.by === 'listing' && now >= following.looked && now - following.looked < DAY)
    return yield* readListing(polling, lists, following, anew);
  const since = anew ? undefined : parseCursor(remembered.feed?.cursor ?? '');
  let stop = since && (yield* tryFeed(polling, lists, since));
  // A state that the peer does not know any more is no failure: it was wiped, or is a backup.
  const isWhole = !since || (stop instanceof NoFeed && UNKNOWN_STATE.includes(stop.failure.status));
  if (isWhole) stop = yield* tryFeed(polling, lists);
  if (!stop) return;
  const { failure, why } = stop;
  // What cannot be understood from its beginning is none; one that only its digests contradict is (design, section 11).
  const isNone = stop instanceof NoFeed || (why === 'malformed' && isWhole);
  if (!lists.fault && (why === 'room' || isNone)) {
    const since = following?.by === 'listing' ? following.since : now;
    const reason = why === 'room' ? failure.message : `GET /feed: ${failure.message}`;
    return yield* readListing(polling, lists, { by: 'listing', since, why: reason, looked: now }, false);
  }
  if (!lists.fault) lists.failures.set('/feed', failure);
  // A peer that contradicts itself is read from its beginning next time.
  const disagrees = why === 'disagrees';
  const anewNext = { ...remembered, ...lists.memos, feed: undefined };
  const batch = failedPoll(polling, lists, disagrees || why === 'malformed' ? anewNext : undefined);
  yield { ...batch, disagrees };
}

/** Reads the feed; gives why it could not be read to its end. */
async function* tryFeed(
  polling: PeerPolling,
  lists: PeerLists,
  since?: Cursor,
): AsyncGenerator<Batch, Unreadable | undefined> {
  try {
    yield* readFeed(polling, lists, since);
    return undefined;
  } catch (stop) {
    if (stop instanceof Unreadable) return stop;
    throw stop;
  }
}
