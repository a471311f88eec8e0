import type { Catalog, State, StatementChange } from '../../catalog/catalog.js';
import type { Cursor } from '../../core/cursor.js';
import type { UnknownState } from '../../core/feed-window.js';
import { type SourceSummary, summariesFor } from '../../core/source-digests.js';
import { Problem } from '../../lib/http/problem.js';
import type { Breather } from '../../lib/pace.js';

/** Changes that are asked of the catalog at a time: what they say is in memory as objects, each up to 200 kB. */
const SLICE = 50;

/** Which changes a page is to have. */
export interface WantedChanges {
  readonly since?: Cursor | undefined;
  readonly after?: number | undefined;
  /** At most so many. */
  readonly limit: number;
}

/** What is to be known of a page besides its changes. */
export interface GatheredPage {
  /** The page is of this state; who has applied it and all before it is in this state, unless there are more. */
  readonly state: State;
  /** The summaries of the sources that have changed since the state that is asked about; all of them, where none is. */
  readonly sources: readonly SourceSummary[];
  /** The position of the last change, where there are more. */
  readonly next?: number;
}

export interface Gathering {
  readonly catalog: Catalog;
  /** Where the follower finds everything, when a state is not known. */
  readonly snapshot: string;
  readonly breathe: Breather;
}

/**
 * Hands changes to `take` one after another, until all have been, or until `take` wants no more and returns false. When
 * something changes meanwhile, the page ends there: so it belongs to one state, and the next page tells what has changed.
 *
 * @throws Problem 410 when the node does not know the state that is asked about
 */
export async function gatherChanges(
  { catalog, snapshot, breathe }: Gathering,
  { since, after, limit }: WantedChanges,
  take: (change: StatementChange) => boolean,
): Promise<GatheredPage> {
  let page: GatheredPage | undefined;
  for (let count = 0; ; ) {
    const request = {
      since,
      after: page?.next ?? after,
      limit: Math.min(SLICE, limit - count),
    };
    const answer = await catalog.changes(request);
    if ('unknown' in answer) throw gone(answer, snapshot);
    const { state, changes, next } = answer;
    if (page && page.state !== state) return page;
    const whole = { state, sources: summariesFor(state.feed.sources, since) };
    for (const change of changes) {
      count += 1;
      const isLast = next === undefined && change.position === changes.at(-1)?.position;
      if (!take(change) || count >= limit) return isLast ? whole : { ...whole, next: change.position };
      await breathe();
    }
    if (next === undefined) return whole;
    page = { ...whole, next };
    await breathe();
  }
}

/** Positions greater than `after`, up to `until`. */
export interface Range {
  readonly after: number;
  readonly until: number;
}

/** The same with all changes in a range that are remembered, removals included. @returns the state at the end */
export async function gatherRange(
  { catalog, breathe }: Omit<Gathering, 'snapshot'>,
  { after, until }: Range,
  take: (change: StatementChange) => boolean,
): Promise<State> {
  for (let from: number | undefined = after; ; ) {
    const answer = await catalog.changes({ after: from, removals: true, limit: SLICE });
    if ('unknown' in answer) throw new Error('a state is unknown that nobody has asked about');
    for (const change of answer.changes) {
      if (change.position > until || !take(change)) return answer.state;
      await breathe();
    }
    from = answer.next;
    if (from === undefined) return answer.state;
  }
}

const WHY: Readonly<Record<UnknownState['unknown'], string>> = {
  epoch: 'The cursor is of another data directory, or from before a repair',
  expired: 'Removals since this cursor have been forgotten',
  future: 'This node has not reached this cursor: its data is older, like that of a backup',
  fork: 'This node has never been in the state of this cursor: its history is another one, like that of a backup',
};

/** The answer to a follower that the node cannot tell what has changed (design, section 11). */
export function gone({ unknown }: UnknownState, snapshot: string): Problem {
  const members = { reason: unknown, snapshot };
  return new Problem(410, `${WHY[unknown]}; read everything again, from ${snapshot}`, { members });
}
