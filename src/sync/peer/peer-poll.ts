import type { Following } from '../../registry/following.js';
import type { PollResult } from '../sync-source.js';
import { type ListingReason, pollFeed } from './feed/feed-poll.js';
import { pollListing } from './listing-poll.js';
import { PeerLists } from './peer-lists.js';
import type { PeerPolling } from './peer-polling.js';

/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;

type ByListing = Following & { by: 'listing' };

/** Polls a peer once: by its change feed where it has one, else by its listing. Rejects when it is stopped. */
export function pollPeer(polling: PeerPolling): Promise<PollResult> {
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
