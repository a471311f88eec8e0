import type { Catalog, Changes, ChangesRequest, State, StatementChange } from '../../catalog/catalog.js';
import { cursorOf, cursorText, parseCursor } from '../../core/cursor.js';
import type { UnknownState } from '../../core/feed-window.js';
import { summariesFor } from '../../core/source-digests.js';
import { Problem } from '../../lib/http/problem.js';
import type { Breather, Pace } from '../../lib/pace.js';
import type { PageText } from './feed-answers.js';
import { changeText, headOf } from './feed-json.js';
import { addressWith, PAGE_SIZE, type PageParameters } from './feed-parameters.js';
import { type FeedNaming, feedAddress, feedWriter, type RdfType } from './feed-quads.js';

/** Changes that are asked of the catalog at a time: what they say is in memory as objects, each up to 200 kB. */
const SLICE = 50;

/** What pages are made of. */
export interface PageSource {
  readonly catalog: Catalog;
  readonly pace: Pace;
}

/** Which page is wanted, and how many bytes it should have at most. */
export interface PageOrder {
  readonly state: State;
  readonly asked: PageParameters;
  readonly maxBytes: number;
}

/** A page in JSON: docs/feed.md says what stands in it. */
export async function jsonPage(source: PageSource, order: PageOrder): Promise<PageText> {
  const texts: string[] = [];
  const { state, next } = await gatherPage(source, order, (change) => {
    const text = changeText(change);
    texts.push(text);
    return Buffer.byteLength(text) + 1;
  });
  const head = JSON.stringify(headOf(state, summariesFor(state.feed.sources, cursorAsked(order))));
  const tail = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return { state, next, text: `${head.slice(0, -1)},"changes":[${texts.join(',')}]${tail}}\n` };
}

/** A page in RDF, its changes as members of the event stream. `address`: its own. */
export async function rdfPage(
  source: PageSource,
  order: PageOrder,
  {
    type,
    address,
    naming,
  }: { readonly type: RdfType; readonly address: string; readonly naming: FeedNaming },
): Promise<PageText> {
  const writer = feedWriter(type, naming);
  const { state, next, last = 0 } = await gatherPage(source, order, writer.member);
  const relations = next === undefined ? [] : [{ node: next, behind: last }];
  return { state, next, text: writer.end(address, state, relations) };
}

const cursorAsked = ({ asked: { since } }: Pick<PageOrder, 'asked'>) =>
  since === undefined ? undefined : parseCursor(since);

interface GatheredPage {
  /** The page is of this state; who has applied it and all before it is in this state, unless there are more. */
  readonly state: State;
  /** The position of the last change, and the address of the page that goes on behind it, where there are more. */
  readonly last?: number | undefined;
  readonly next?: string | undefined;
}

/**
 * Hands the changes of a page to `write`, which says how many bytes each takes. When something changes meanwhile, the page ends
 * there: so it belongs to one state, and the next page tells what has changed.
 * @throws Problem 410 when the node does not know the state that is asked about
 */
async function gatherPage(
  { catalog, pace }: PageSource,
  { state: asOf, asked, maxBytes }: PageOrder,
  write: (change: StatementChange) => number,
): Promise<GatheredPage> {
  const { after, limit } = asked;
  const since = cursorAsked({ asked });
  const [root, breathe] = [feedAddress(asOf.naming), pace()];
  const page = (state: State, last: number | undefined): GatheredPage => {
    if (last === undefined) return { state };
    const from = cursorText(since ?? cursorOf(state));
    return { state, last, next: addressWith(root, { since: from, after: last, limit }) };
  };
  let left = limit ?? PAGE_SIZE.usual;
  let room = maxBytes;
  let read: Changes | undefined;
  for await (const slice of slicesOf(catalog, { since, after, limit: Math.min(SLICE, left) }, root)) {
    if (read && read.state !== slice.state) break;
    read = slice;
    for (const change of slice.changes) {
      room -= write(change);
      left -= 1;
      const isLast = slice.next === undefined && change === slice.changes.at(-1);
      if (room <= 0 || left === 0) return page(slice.state, isLast ? undefined : change.position);
      await breathe();
    }
    await breathe();
  }
  return page(read?.state ?? asOf, read?.next);
}

/** Positions greater than `after`, up to `until`. */
export interface Range {
  readonly after: number;
  readonly until: number;
}

/**
 * Hands all changes in a range to `take` that are remembered, removals included, until it wants no more and returns false.
 * @returns the state at the end
 */
export async function gatherRange(
  catalog: Catalog,
  { after, until }: Range,
  take: (change: StatementChange) => boolean,
  breathe: Breather,
): Promise<State> {
  let state = await catalog.state();
  for await (const slice of slicesOf(catalog, { after, removals: true, limit: SLICE }, '')) {
    state = slice.state;
    for (const change of slice.changes) {
      if (change.position > until || !take(change)) return state;
      await breathe();
    }
  }
  return state;
}

async function* slicesOf(catalog: Catalog, request: ChangesRequest, root: string): AsyncGenerator<Changes> {
  for (let { after } = request; ; ) {
    const answer = await catalog.changes({ ...request, after });
    if ('unknown' in answer) throw gone(answer, root);
    yield answer;
    if (answer.next === undefined) return;
    after = answer.next;
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
