import type { Config } from '../../config.js';
import { parseCursor } from '../../core/cursor.js';
import { findPodAmong } from '../../core/find-pod.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch } from '../../core/reading.js';
import { type AuthorityOf, unknownOrder, upstreamOrder } from '../../core/upstream-order.js';
import { elapsed } from '../../lib/clock.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { Failed, parsed } from '../failures.js';
import { peerStream } from '../push/listening.js';
import type { ReaderParts } from '../request.js';
import type { SourceReader } from '../source-reader.js';
import { readFeed } from './feed-reader.js';
import { readListing } from './listing-reader.js';
import type { PeerReading } from './peer-documents.js';
import { PeerLists } from './peer-lists.js';
import { type PeerMemo, PLAIN_LISTING, peerMemo } from './peer-memo.js';
import { askPeer, type PeerAccess, type PeerPolling } from './peer-request.js';

export interface PeerOptions extends ReaderParts, Pick<PeerAccess, 'epoch'> {
  readonly mode: Config['mode'];
}

/** Of what is remembered of a peer: what was remembered in another one is forgotten. */
const FORMAT = 4;
/** Bytes in which there is surely room for one more document: with each of less, a peer would be read whole again. */
const LARGE = 100_000;
/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;
/** Answered to a state that is not known, be it on a later page. */
const UNKNOWN_STATE = 410;

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerReader(options: PeerOptions): SourceReader {
  const { url, mode, vocabulary, pool, clock, trust } = options;
  const readAs = `${FORMAT} ${mode} ${vocabulary.namespace}`;
  return {
    source: { kind: 'peer', url },
    trust,
    async *read(stored, limits, signal): AsyncGenerator<Batch> {
      const memo = peerMemo(stored?.record);
      // Where more of a document can be stored than before, its peer is to tell all again.
      const unread = { omitted: stored?.record.unread, firstOmitted: stored?.record.unread && LARGE };
      const anew = [unread, ...(stored?.documents.values() ?? [])].some((one) => fitsMore(one, limits.room));
      const polling: PeerPolling = {
        ...{ url, vocabulary, clock, stored, limits, signal },
        peer: withoutTrailingSlashes(url),
        isMirror: mode === 'mirror',
        ask: (address, accept, before = {}) => askPeer(options, { url: address, accept, before, signal }),
        parse: (task, input) => parsed(pool.run(task, input, { lane: trust, signal }), signal),
        remembered: memo.readAs === readAs && !anew ? memo : { readAs },
      };
      const lists = new PeerLists(polling);
      yield batchOf(polling, lists, await readPeer(polling, lists));
    },
    stream: () => peerStream(options),
  };
}

/** Reads a peer once: by its change feed where it has one, else by its listing. */
async function readPeer(polling: PeerPolling, lists: PeerLists): Promise<PeerReading> {
  const { stored, remembered, clock } = polling;
  const { following } = stored?.record ?? {};
  const now = clock.now();
  if (following?.by === 'listing' && elapsed(following.looked, now) < DAY)
    return readListing(polling, lists, following);
  for (let since = parseCursor(remembered.feed?.cursor ?? ''); ; since = undefined) {
    try {
      return await readFeed(polling, lists, since);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      const { message, status, why } = error;
      // What cannot be understood is no feed; one that only its digests contradict is (design, section 11).
      // One that was there, and answers 500, has trouble.
      const isTrouble = following?.by === 'feed' && status === 500;
      const isNone = why === 'malformed' || (why === 'unknown' && !isTrouble);
      // A state that the peer does not know any more is no failure: it was wiped, or is a backup.
      if (since && (isNone || status === UNKNOWN_STATE)) continue;
      if (isNone) {
        const known = following?.by === 'listing' ? following.since : now;
        const reason = `GET /feed: ${message}`;
        return readListing(polling, lists, { by: 'listing', since: known, why: reason, looked: now });
      }
      lists.failures.set('/feed', error);
      // A peer that contradicts itself is read from its beginning next time.
      return { complete: false, disagrees: why === 'disagrees' };
    }
  }
}

/** All that was read of a peer in one poll. */
function batchOf(polling: PeerPolling, lists: PeerLists, read: PeerReading): Batch {
  const { failure, introduced } = lists;
  const { documents, memo, following, ...end }: PeerReading = lists.isPointless ? { complete: false } : read;
  const authorityOf = memo && authoritiesOf(polling, introduced, memo);
  const isWhole = documents && documents.how !== 'changes';
  return {
    ...end,
    put: [...(documents?.readings(authorityOf) ?? [])],
    gone: documents?.gone ?? [],
    isLast: true,
    isWhole,
    unread: isWhole ? undefined : polling.stored?.record.unread,
    failure,
    memo: memo && { memo: { readAs: polling.remembered.readAs, ...memo }, introduced, following },
  };
}

/**
 * To a mirror, whose the graphs of its upstream are, by the lists of addresses that it has told; a listing without graphs does
 * not say who says what.
 */
function authoritiesOf(
  { isMirror, url }: PeerPolling,
  introduced: PeerLists['introduced'],
  { listing }: PeerMemo,
): AuthorityOf | undefined {
  if (!isMirror) return undefined;
  if (listing?.path === PLAIN_LISTING) return unknownOrder(url);
  return upstreamOrder(introduced, findPodAmong(introduced.storage.map(({ url }) => url)));
}
