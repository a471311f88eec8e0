import type { Config } from '../../config.js';
import { type Cursor, parseCursor } from '../../core/cursor.js';
import { fitsMore } from '../../core/limits.js';
import type { Batch } from '../../core/reading.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { parsed, Unreadable } from '../failures.js';
import { readInPieces } from '../pieces.js';
import { peerStream } from '../push/listening.js';
import type { ReaderParts } from '../request.js';
import type { SourceReader } from '../source-reader.js';
import { readFeed } from './feed-reader.js';
import { readListing } from './listing-reader.js';
import { batchOf, type PeerReading } from './peer-batch.js';
import { PeerLists } from './peer-lists.js';
import { type PeerPolling, peerMemo } from './peer-memo.js';
import { askPeer, isUnknownThere, type PeerAccess } from './peer-request.js';

export interface PeerOptions extends ReaderParts, Pick<PeerAccess, 'epoch'> {
  readonly mode: Config['mode'];
}

/** Of what is remembered of a peer: what was remembered in another one is forgotten. */
const FORMAT = 3;
/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;

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
      const anew = [...(stored?.documents.values() ?? [])].some((one) => fitsMore(one, limits.room));
      const polling: PeerPolling = {
        ...{ url, vocabulary, clock, readAs, stored, limits, signal },
        peer: withoutTrailingSlashes(url),
        isMirror: mode === 'mirror',
        ask: (address, accept, before = {}) => askPeer(options, { url: address, accept, before, signal }),
        parse: (task, input, nothing) =>
          parsed(readInPieces(task, input, nothing, { pool, lane: trust, signal }), signal),
        remembered: memo.readAs === readAs && !anew ? memo : {},
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
  if (following?.by === 'listing' && now >= following.looked && now - following.looked < DAY)
    return readListing(polling, lists, following);
  const tryFeed = (since?: Cursor) => readFeed(polling, lists, since).catch(unreadableIn);
  const since = parseCursor(remembered.feed?.cursor ?? '');
  let feed = since && (await tryFeed(since));
  // A state that the peer does not know any more is no failure: it was wiped, or is a backup.
  const isWhole = !feed || (feed instanceof Unreadable && isUnknownThere(feed.failure));
  if (!feed || isWhole) feed = await tryFeed();
  if (!(feed instanceof Unreadable)) return feed;
  const { failure, why } = feed;
  // What cannot be understood from its beginning is none; one that only its digests contradict is (design, section 11).
  if (isWhole && (isUnknownThere(failure) || why === 'malformed')) {
    const since = following?.by === 'listing' ? following.since : now;
    const reason = `GET /feed: ${failure.message}`;
    return readListing(polling, lists, { by: 'listing', since, why: reason, looked: now });
  }
  lists.failures.set('/feed', failure);
  // A peer that contradicts itself is read from its beginning next time.
  return { complete: false, disagrees: why !== 'failed' };
}

function unreadableIn(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error;
  throw error;
}
