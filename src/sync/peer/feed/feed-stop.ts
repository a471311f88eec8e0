import type { PeerFailure } from '../peer-request.js';

/** Why a peer's feed is not read on. */
export class FeedStop extends Error {
  override readonly name = 'FeedStop';

  /**
   * @param failure what is said of it
   * @param kind `failed`: the peer did not answer as it should. `malformed`: what it said cannot be, by itself or with what it
   * said before. `unknown`: it does not know the state that was read last. `room`: there is more than this node keeps
   */
  constructor(
    readonly failure: PeerFailure,
    readonly kind: 'failed' | 'malformed' | 'unknown' | 'room' = 'failed',
  ) {
    super(failure.message);
  }
}

export function malformed(message: string): FeedStop {
  return new FeedStop({ kind: 'failed', message }, 'malformed');
}

/** Answers of nodes that have no feed. */
const NO_FEED: readonly (number | undefined)[] = [401, 403, 404, 405, 406, 415, 501];
/** The same of nodes that were never followed: they do not understand what they are asked for. */
const NEVER_A_FEED: readonly (number | undefined)[] = [...NO_FEED, 400, 410, 500];
const NEVER_REASONS: readonly (string | undefined)[] = ['redirects', 'too-large'];
/** How often in a row answers may break off, as in a bad network, before the peer counts as one that has no feed. */
const CUT = 3;

/** What is known of a peer whose feed is not read on. */
interface Followed {
  /** Was it followed by its feed before? */
  readonly before: boolean;
  /** Was all of its feed read, and not only what has changed? */
  readonly isWhole: boolean;
  /** Polls in a row that failed before this one. */
  readonly failures: number;
}

/** Has the peer no feed that can be read, and not only trouble with it? */
export function isWithoutFeed({ failure, kind }: FeedStop, { before, isWhole, failures }: Followed): boolean {
  const { status, reason } = failure;
  if (NO_FEED.includes(status) || (kind === 'malformed' && isWhole)) return true;
  if (before) return false;
  const isAlwaysCut = reason === 'truncated' && failures >= CUT - 1;
  return NEVER_REASONS.includes(reason) || isAlwaysCut || NEVER_A_FEED.includes(status);
}
