import { type Cursor, cursorText, parseCursor } from '../../../core/cursor.js';
import { explain, MalformedInput, TaskTimeout } from '../../../lib/faults.js';
import { isParseFailure, logStumble } from '../../wrong.js';
import { inSmallerPages, PageTrail } from '../pages.js';
import type { PeerPolling } from '../peer-memo.js';
import { addressWith, FEED, type PeerBody } from '../peer-request.js';
import type { FeedPage } from './feed-page.js';
import { FeedStop, malformed } from './feed-stop.js';
import { readFeedPage } from './feed-task.js';

/** A page with what its answer says beside it. */
export interface ReadPage extends Omit<FeedPage, 'cursor'> {
  /** The state of the peer that the page belongs to. */
  readonly cursor: Cursor;
  /** What the peer says of its lists of addresses in short; absent where it says nothing of them. */
  readonly lists?: string | undefined;
  /** Changes on a page, where it is not the peer who chooses. */
  readonly pageSize?: number | undefined;
}

/** Page sizes to try, in this order, when a page was more than `sync.maxBytes`. At first the peer chooses. */
const PAGE_SIZES = [100, 10];
/** A page that another one follows is short when it has less than this: a busy node cuts pages by their size. */
const SHORT = { changes: 10, characters: 20_000 } as const;
/** Changes beyond ten times what is kept: a peer might send them without an end. */
const MORE_CHANGES = 20_000;

/**
 * The pages of a peer's feed, one after the other: of all that it says, or of what has changed since a state. There are none
 * when nothing has. Positions rise from page to page, and all cursors have the same epoch; what changes at the peer meanwhile
 * comes on a later page, also removals of what was on a page before.
 * @throws FeedStop; and the reason of the signal when the poll is stopped
 */
export async function* feedPages(polling: PeerPolling, since?: Cursor): AsyncGenerator<ReadPage> {
  const most = MORE_CHANGES + 10 * polling.limits.most.components;
  const trail = new PageTrail();
  let before: RunState = { position: since?.position ?? 0, cursor: since };
  let changes = 0;
  let from = since;
  let pageSize = polling.remembered.feed?.pageSize;
  for (let isFirst = true; ; isFirst = false) {
    const after = isFirst ? undefined : before.position;
    const url = addressWith(`${polling.peer}/feed`, { since: from && cursorText(from), after });
    const page = await ask(polling, url, pageSize, isFirst ? since : undefined);
    if (!page && isFirst) return;
    if (!page) throw malformed('it answers 304 unasked');
    const fault = faultOf(page, before);
    if (fault !== undefined) throw malformed(fault);
    yield page;
    if (!page.more) return;
    changes += page.changes.length;
    if (changes > most) throw malformed(`it comes with more than ${most} changes`);
    const endless = trail.count(page.changes.length < SHORT.changes && page.characters < SHORT.characters);
    if (endless) throw malformed(endless.message);
    before = { position: page.changes.at(-1)?.position ?? 0, cursor: page.cursor };
    from ??= page.cursor;
    pageSize = page.pageSize;
  }
}

/** The position that comes next is greater, and the peer's state is this one or a later one. */
interface RunState {
  readonly position: number;
  readonly cursor?: Cursor | undefined;
}

function faultOf({ changes, more, cursor }: ReadPage, before: RunState): string | undefined {
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

/**
 * Asks for a page; nothing where the peer is in the state that is known. A state that was named by the peer in this poll may not
 * be unknown to it; an older one may.
 */
async function ask(
  polling: PeerPolling,
  url: string,
  size: number | undefined,
  known: Cursor | undefined,
): Promise<ReadPage | undefined> {
  const before = { etag: known && `"${cursorText(known)}"` };
  const { reading, pageSize } = await inSmallerPages(PAGE_SIZES, size, (limit) =>
    polling.request(addressWith(url, { limit }), FEED, before, polling.signal),
  );
  if (reading.kind === 'whole') return { ...(await pageIn(reading, polling)), pageSize };
  if (reading.kind === 'unchanged') return undefined;
  // To one that answers 400, not even how its own states are written is known.
  const isUnknown = known !== undefined && [400, 410].includes(reading.status ?? 0);
  throw new FeedStop(reading, isUnknown ? 'unknown' : 'failed');
}

async function pageIn(
  { mediaType, text, lists }: PeerBody,
  { parsing, log, peer }: PeerPolling,
): Promise<ReadPage> {
  if (!/[/+]json$/.test(mediaType)) throw malformed(`it is ${mediaType || 'of no media type'}, not JSON`);
  try {
    const page = await readFeedPage(text, parsing);
    for (const change of page.changes) logStumble(log, change, { peer, document: change.graph });
    const cursor = parseCursor(page.cursor);
    if (!cursor) throw new MalformedInput('it names no state');
    return { ...page, cursor, lists };
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    // A page for which there was no time is no sign of a peer that has none.
    const isMalformed = error instanceof MalformedInput && !(error instanceof TaskTimeout);
    throw new FeedStop({ kind: 'failed', message: explain(error) }, isMalformed ? 'malformed' : 'failed');
  }
}
