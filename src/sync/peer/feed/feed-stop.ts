import type { FeedFailure, FeedReading } from './feed-client.js';
import type { RunEnd } from './feed-run.js';

/** Why reading did not come to its end. */
export type Stop =
  | FailedStop
  /** The peer does not know the state that was read last. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** There is more than this node keeps: room for so many components would be needed. */
  | { readonly kind: 'room'; readonly needs: number };

export interface FailedStop {
  readonly kind: 'failed';
  readonly path: string;
  readonly failure: FeedFailure;
}

/** How the end of a run stops what it is a part of. `room`: components that are kept of the peer. */
export function stopAt(path: string, end: RunEnd, room: number): Stop | undefined {
  if (end.kind !== 'failed') return undefined;
  if (end.status === 410) return unknownState(end);
  return end.isRoom ? { kind: 'room', needs: room + 1 } : { kind: 'failed', path, failure: end };
}

export function unknownState({ problem, message }: FeedFailure): Stop {
  return { kind: 'unknown', why: problem ?? message };
}

/** An answer that should have been a page. */
export function noPage(path: string, reading: Exclude<FeedReading, { kind: 'page' }>): Stop {
  const unasked = { kind: 'failed', malformed: true, message: 'it answers 304 unasked' } as const;
  return { kind: 'failed', path, failure: reading.kind === 'failed' ? reading : unasked };
}

/** The peer does not know a state that it has named in the same poll. */
export function contradiction(why: string): FailedStop {
  const message = `it does not know the state that it has just named (${why})`;
  return { kind: 'failed', path: '/feed', failure: { kind: 'failed', message, malformed: true } };
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
 * @param known.failures polls in a row that failed before this one
 */
export function isWithoutFeed(
  { path, failure }: FailedStop,
  known: { readonly wasFollowed: boolean; readonly failures: number },
): boolean {
  const { status, malformed, reason } = failure;
  if (known.wasFollowed) return NO_FEED.includes(status);
  const isAlwaysCut = reason === 'truncated' && known.failures >= CUT - 1;
  const isNone = malformed === true || NEVER_REASONS.includes(reason) || isAlwaysCut;
  return (path === '/feed/sources' && isNone) || NEVER_A_FEED.includes(status);
}
