import { type Cursor, cursorText, parseCursor } from '../../../core/cursor.js';
import type { FeedPage } from '../feed-page.js';
import type { FeedClient, FeedQuestion } from './feed-client.js';
import { malformed, type Stop, UNASKED, unknownState } from './feed-stop.js';

/** Pages to be read one after the other. */
export interface Run {
  /** Only what has changed since this state; it is enough then to learn that nothing has. */
  readonly since?: Cursor | undefined;
  /** Takes up a page; says why it, or the whole run, cannot be taken. */
  readonly take: (page: FeedPage) => Promise<Stop | undefined>;
}

/** How a run ended. `first` and `last` are the same page when there is one. */
export type RunEnd =
  | { readonly kind: 'read'; readonly first: FeedPage; readonly last: FeedPage; readonly cursor: Cursor }
  | { readonly kind: 'unchanged' }
  | Stop;

/** A page that another one follows is short when it has less than this: a busy node cuts pages by their size. */
const SHORT = { changes: 10, characters: 20_000 } as const;
/** Short pages in one run: each costs a request, and a peer might send them without an end. */
const SHORT_PAGES = 100;

/**
 * Reads page after page, to the end. Positions rise from page to page, and all cursors have the same epoch; what changes
 * at the peer meanwhile comes on a later page. Rejects when the poll is stopped.
 */
export async function readRun(client: FeedClient, run: Run): Promise<RunEnd> {
  const { since } = run;
  const path = '/feed';
  const state = since && cursorText(since);
  let parameters: FeedQuestion['parameters'] = { since: state };
  let first: FeedPage | undefined;
  let before: RunState = { position: since?.position ?? 0, cursor: since };
  for (let short = 0; ; ) {
    const reading = await client.ask({ path, parameters, before: first ? undefined : state });
    if (reading.kind === 'unchanged') return first ? malformed(path, UNASKED) : reading;
    if (reading.kind === 'failed') return reading.status === 410 ? unknownState(reading) : reading;
    const { page } = reading;
    const cursor = parseCursor(page.cursor);
    const fault = cursor ? faultOf(page, cursor, before) : 'it names no state';
    if (!cursor || fault !== undefined) return malformed(path, fault ?? '');
    const refusal = await run.take(page);
    if (refusal) return refusal;
    first ??= page;
    if (!page.more) return { kind: 'read', first, last: page, cursor };
    if (page.changes.length < SHORT.changes && page.characters < SHORT.characters) short += 1;
    if (short > SHORT_PAGES)
      return malformed(path, `it comes in more than ${SHORT_PAGES} pages that are almost empty`);
    before = { position: page.changes.at(-1)?.position ?? 0, cursor };
    // Removals of what was on the pages before are told from now on, also where none were asked for.
    const from = cursorText(since ?? parseCursor(first.cursor) ?? cursor);
    parameters = { since: from, after: String(before.position) };
  }
}

/** The position that comes next is greater, and the peer's state is this one or a later one. */
interface RunState {
  readonly position: number;
  readonly cursor?: Cursor | undefined;
}

function faultOf({ changes, more }: FeedPage, cursor: Cursor, before: RunState): string | undefined {
  const first = changes[0]?.position;
  const last = changes.at(-1)?.position;
  if (first !== undefined && first <= before.position) {
    return `position ${first} comes after ${before.position}`;
  }
  if (more && last === undefined) return 'a page without changes is followed by another one';
  if ((last ?? 0) > cursor.position)
    return `its cursor ${cursorText(cursor)} does not cover position ${last}`;
  const old = before.cursor;
  if (!old) return undefined;
  if (old.epoch !== cursor.epoch) return 'it names a state of another life';
  return old.position > cursor.position ? 'its cursor goes back' : undefined;
}
