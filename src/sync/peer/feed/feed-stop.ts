import type { PeerFailure } from '../peer-request.js';

export type FeedPath = '/feed' | '/feed/sources';

export interface FeedFailure extends PeerFailure {
  /** What was asked for. */
  readonly path: FeedPath;
  /** Is it what the peer said that could not be understood, and not that it said nothing? */
  readonly malformed?: boolean;
}

/** Why reading did not come to its end. */
export type Stop =
  | FeedFailure
  /** The peer does not know the state that was read last. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** There is more than this node keeps: room for so many components would be needed. */
  | { readonly kind: 'room'; readonly needs: number };

export function unknownState({ problem, message }: PeerFailure): Stop {
  return { kind: 'unknown', why: problem ?? message };
}

export function malformed(path: FeedPath, message: string): FeedFailure {
  return { kind: 'failed', path, message, malformed: true };
}

export const UNASKED = 'it answers 304 unasked';

/** The peer does not know a state that it has named in the same poll. */
export function contradiction(why: string): FeedFailure {
  return malformed('/feed', `it does not know the state that it has just named (${why})`);
}

/** Answers of nodes that have no feed. */
const NO_FEED: readonly (number | undefined)[] = [401, 403, 404, 405, 406, 415, 501];
/** The same of nodes that were never followed: they do not understand what they are asked for. */
const NEVER_A_FEED: readonly (number | undefined)[] = [...NO_FEED, 400, 410, 500];
const NEVER_REASONS: readonly (string | undefined)[] = ['redirects', 'too-large'];
/** How often in a row answers may break off, as in a bad network, before the peer counts as one that has no feed. */
const CUT = 3;

/**
 * Has the peer no feed, and not only trouble with it?
 * @param before.failures polls in a row that failed before this one
 */
export function isWithoutFeed(
  { path, status, malformed, reason }: FeedFailure,
  before: { readonly wasFollowed: boolean; readonly failures: number },
): boolean {
  if (before.wasFollowed) return NO_FEED.includes(status);
  const isAlwaysCut = reason === 'truncated' && before.failures >= CUT - 1;
  const isNone = malformed === true || NEVER_REASONS.includes(reason) || isAlwaysCut;
  return (path === '/feed/sources' && isNone) || NEVER_A_FEED.includes(status);
}
