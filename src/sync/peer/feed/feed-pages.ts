import { type Cursor, cursorText, parseCursor } from '../../../core/cursor.js';
import { explain, MalformedInput, TaskTimeout } from '../../../lib/faults.js';
import { type Failed, isParseFailure } from '../../failures.js';
import { pageCount } from '../pages.js';
import type { PeerPolling } from '../peer-memo.js';
import { ACCEPT, addressWith, isUnknownThere, notWhole, type PeerBody } from '../peer-request.js';
import { type FeedPage, readFeedPage } from './feed-page.js';

/** Why a peer's feed is not read on. */
export class FeedStop extends Error {
  override readonly name = 'FeedStop';

  /**
   * @param failure what is said of it
   * @param kind `failed`: the peer did not answer as it should. `malformed`: what it said cannot be, by itself or with what it
   * said before. `unknown`: it does not know the state that was read last. `none`: it has no feed. `room`: there is more than this
   * node keeps
   */
  constructor(
    readonly failure: Failed,
    readonly kind: 'failed' | 'malformed' | 'unknown' | 'none' | 'room' = 'failed',
  ) {
    super(failure.message);
  }
}

/** For a peer that did not say `message`, but did what it tells. */
export function stopped(message: string, kind: FeedStop['kind']): FeedStop {
  return new FeedStop({ kind: 'failed', message }, kind);
}

/** A page with what its answer says beside it. */
export interface ReadPage extends Omit<FeedPage, 'cursor'> {
  /** The state of the peer that the page belongs to. */
  readonly cursor: Cursor;
  /** What the peer says of its lists of addresses in short. */
  readonly lists?: string | undefined;
}

/** A page that another one follows is short when it has less than this: a busy node cuts pages by their size. */
const SHORT = { changes: 10, bytes: 20_000 } as const;
/** Changes beyond ten times what is kept: a peer might send them without an end. */
const MORE_CHANGES = 20_000;

/**
 * The pages of a peer's feed, one after the other: of all that it says, or of what has changed since a state. There are none
 * when nothing has, unless the peer is to say so. Positions rise from page to page, and all cursors have the same epoch; what
 * changes at the peer meanwhile comes on a later page, also removals of what was on a page before.
 * @throws FeedStop; and the reason of the signal when the poll is stopped
 */
export async function* feedPages(polling: PeerPolling, since?: Cursor): AsyncGenerator<ReadPage> {
  const { peer, ask, limits, remembered } = polling;
  const root = `${peer}/feed`;
  const most = MORE_CHANGES + 10 * limits.most.components;
  const count = pageCount();
  const mark = since && remembered.feed?.network !== undefined ? { etag: `"${cursorText(since)}"` } : {};
  const first = await ask(addressWith(root, { since: since && cursorText(since) }), ACCEPT.feed, mark);
  if (first.kind === 'unchanged') return;
  if (first.kind === 'failed') throw new FeedStop(first, kindOf(first, since !== undefined));
  let page = await pageIn(first, polling, { position: since?.position ?? 0, cursor: since });
  const from = cursorText(since ?? page.cursor);
  for (let changes = page.changes.length; ; changes += page.changes.length) {
    yield page;
    if (!page.more) return;
    const { length } = page.changes;
    const endless = count(length < SHORT.changes && page.bytes < SHORT.bytes);
    if (endless !== undefined) throw stopped(endless, 'malformed');
    if (changes > most) throw stopped(`it comes with more than ${most} changes`, 'malformed');
    const position = page.changes.at(-1)?.position ?? 0;
    const next = await ask(addressWith(root, { since: from, after: position }), ACCEPT.feed);
    if (next.kind !== 'whole') throw new FeedStop(notWhole(next));
    page = await pageIn(next, polling, { position, cursor: page.cursor });
  }
}

function kindOf(failure: Failed, hasState: boolean): FeedStop['kind'] {
  // To one that answers 400, not even how its own states are written is known.
  if (hasState && [400, 410].includes(failure.status ?? 0)) return 'unknown';
  return isUnknownThere(failure) ? 'none' : 'failed';
}

/** The position that comes next is greater, and the peer's state is this one or a later one. */
interface RunState {
  readonly position: number;
  readonly cursor?: Cursor | undefined;
}

async function pageIn(
  { mediaType, text, lists }: PeerBody,
  { parsing }: PeerPolling,
  before: RunState,
): Promise<ReadPage> {
  if (!/[/+]json$/.test(mediaType))
    throw stopped(`it is ${mediaType || 'of no media type'}, not JSON`, 'malformed');
  try {
    const page = await readFeedPage(text, parsing);
    const cursor = parseCursor(page.cursor);
    if (!cursor) throw new MalformedInput('it names no state');
    const fault = faultOf({ ...page, cursor }, before);
    if (fault !== undefined) throw new MalformedInput(fault);
    return { ...page, cursor, lists };
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    // A page for which there was no time is no sign of a peer that has none.
    const isMalformed = error instanceof MalformedInput && !(error instanceof TaskTimeout);
    throw stopped(explain(error), isMalformed ? 'malformed' : 'failed');
  }
}

function faultOf({ changes, more, cursor }: ReadPage, before: RunState): string | undefined {
  let last = before.position;
  for (const { position } of changes) {
    if (position <= last) return `position ${position} comes after ${last}`;
    last = position;
  }
  if (more && changes.length === 0) return 'a page without changes is followed by another one';
  if (last > cursor.position) return `its cursor ${cursorText(cursor)} does not cover position ${last}`;
  const isAnother = before.cursor && before.cursor.epoch !== cursor.epoch;
  return isAnother ? 'it names a state of another life' : undefined;
}
