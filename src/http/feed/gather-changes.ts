import type { Source } from '../../component/precedence.js';
import { Problem } from '../../lib/http/problem.js';
import type { Breather } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { StatementChange, UnknownState } from '../../registry/changes.js';
import { type Cursor, cursorOf } from '../../registry/cursor.js';
import type { SourceLine } from '../../registry/feed.js';
import type { State } from '../../registry/state.js';

/** Changes that are asked of the catalog at a time: what they say is in memory as objects, each up to 200 kB. */
const SLICE = 50;

/** Which changes a page is to have. */
export interface WantedChanges {
  readonly since?: Cursor | undefined;
  readonly after?: number | undefined;
  /** None with a greater position. */
  readonly until?: number;
  readonly source?: Source;
  /** All removals that are remembered, or none at all; when absent, those since `since`, or else since the page was begun. */
  readonly removals?: 'all' | 'none';
  /** At most so many. */
  readonly limit: number;
}

/** What is to be known of a page besides its changes. */
export interface GatheredPage {
  /** When the first changes were read: on the pages that follow, removals since then have to be told. */
  readonly begun: State;
  /** Whoever has applied this page, and all before it, is in this state, unless there are more pages. */
  readonly state: State;
  /** The lines that have changed since the state that is asked about; all of them, where none is. */
  readonly sources: readonly SourceLine[];
  /** The position of the last change, where there are more. */
  readonly next?: number;
}

export interface Gathering {
  readonly catalog: Catalog;
  /** Where the reader finds everything, when a state is not known. */
  readonly snapshot: string;
  readonly breathe: Breather;
}

/**
 * Hands changes to `take` one after another, until all have been, or until `take` wants no more and returns false. What
 * changes meanwhile comes last, as between two pages.
 *
 * @throws Problem 410 when the node does not know the state that is asked about
 */
export async function gatherChanges(
  { catalog, snapshot, breathe }: Gathering,
  wanted: WantedChanges,
  take: (change: StatementChange) => boolean,
): Promise<GatheredPage> {
  let { since, after } = wanted;
  let begun: State | undefined;
  for (let count = 0; ; ) {
    const { removals, source, limit } = wanted;
    const part = { since, after, source, limit: Math.min(SLICE, limit - count) };
    const request = { ...part, removals: removals === 'all' };
    const answer = await catalog.changes(request);
    if ('unknown' in answer) throw gone(answer, snapshot);
    const { state, changes, next } = answer;
    begun ??= state;
    const page = { begun, state, sources: linesSince(state, wanted.since) };
    for (const change of changes) {
      if (wanted.until !== undefined && change.position > wanted.until) return page;
      count += 1;
      const isLast = next === undefined && change.position === changes.at(-1)?.position;
      if (!take(change) || count >= limit) return isLast ? page : { ...page, next: change.position };
      await breathe();
    }
    if (next === undefined) return page;
    if (removals === undefined) since ??= cursorOf(begun);
    after = next;
  }
}

function linesSince({ feed }: State, since: Cursor | undefined): readonly SourceLine[] {
  return since ? feed.sources.filter(({ position }) => position > since.position) : feed.sources;
}

const WHY: Readonly<Record<UnknownState['unknown'], string>> = {
  epoch: 'The cursor is of another data directory, or from before a repair',
  expired: 'Removals since this cursor have been forgotten',
  future: 'This node has not reached this cursor: its data is older, like that of a backup',
  fork: 'This node has never been in the state of this cursor: its history is another one, like that of a backup',
};

/** The answer to a reader that the node cannot tell what has changed (design, section 11). */
export function gone({ unknown }: UnknownState, snapshot: string): Problem {
  const members = { reason: unknown, snapshot };
  return new Problem(410, `${WHY[unknown]}; read everything again, from ${snapshot}`, { members });
}
