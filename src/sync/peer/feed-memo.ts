import type { FeedLine } from './feed-page.js';

/** A line of a source, in short. */
export type LineMemo = readonly [of: string, rank: number, count: number, digest: string];

/** What is remembered of a peer's feed: plain JSON. */
export interface FeedMemo {
  /** Names the state of the peer that is stored; absent while none is. */
  readonly cursor?: string;
  /** What the peer said of its sources in that state. */
  readonly lines?: readonly LineMemo[];
  /** The most hops of entries of the peer's lists of addresses that it was asked about; absent when it was about all. */
  readonly hops?: number;
  /** Tells states of these lists apart, as far as they were asked for. */
  readonly network?: number;
  /** Have both been read in that state? */
  readonly listsRead?: boolean;
  /** What the peer said of them in short, when they were read and that was so: see `listsDigest`. */
  readonly lists?: string;
  /** When that was looked at last, ms since the Unix epoch. */
  readonly listsSeen?: number;
  /** Changes on a page, where pages have proved too large. */
  readonly pageSize?: number;
  /** Why everything has to be read anew, where that was tried in vain. */
  readonly startOver?: string;
  /** Polls in a row in which the peer did not know the state that it had named itself. */
  readonly forgotten?: number;
}

/** Of one another: a peer has hundreds of lines, and most polls find all of them as they were. */
const MEMOS = new WeakMap<FeedLine, LineMemo>();
const LINES = new WeakMap<LineMemo, FeedLine>();

export function lineMemo(line: FeedLine): LineMemo {
  const known = MEMOS.get(line);
  if (known) return known;
  const { of, rank, count, digest } = line;
  return paired(line, [of, rank, count, digest])[1];
}

export function lineOf(memo: LineMemo): FeedLine {
  const known = LINES.get(memo);
  if (known) return known;
  const [of, rank, count, digest] = memo;
  return paired({ of, rank, count, digest }, memo)[0];
}

function paired(line: FeedLine, memo: LineMemo): readonly [FeedLine, LineMemo] {
  MEMOS.set(line, memo);
  LINES.set(memo, line);
  return [line, memo];
}
