import { sourceOfKey } from '../../component/source.js';
import { type Cursor, cursorText } from '../../core/cursor.js';
import { feedDigest } from '../../core/source-digests.js';
import { LtHash } from '../../lib/lt-hash.js';
import { Failed, malformed } from '../failures.js';
import { type FeedPage, feedTask } from './feed-page.js';
import { PeerDocuments, type PeerReading } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import type { FeedSummary } from './peer-memo.js';
import { type PeerPolling, readPages } from './peer-request.js';

/** Sources of one peer at most: their summaries are kept with what is remembered of the peer. */
const MOST_SOURCES = 10_000;
const NOTHING = LtHash.empty().digest();

/**
 * Reads a peer by its feed: what has changed since a state that was read before, or all that it says. What
 * changes at the peer meanwhile comes on a later page, also removals of what was on a page before: all is
 * held until the end has come.
 * @throws Failed when there is no end
 */
export async function readFeed(polling: PeerPolling, lists: PeerLists, since?: Cursor): Promise<PeerReading> {
  const { remembered, stored, clock } = polling;
  const documents = new PeerDocuments(polling, since ? 'changes' : 'feed');
  const read = await readChanges(polling, documents, since);
  if (!read) return { complete: true };
  const { first, last, told, changed } = read;
  const { cursor, network } = last;
  const before = since ? remembered.feed?.lines : first.summaries;
  const lines = new Map(before?.map((line) => [line.of, line]));
  // The last page tells of all sources that have changed: one that it does not name has nothing any more.
  for (const of of changed) lines.delete(of);
  for (const line of last.summaries) lines.set(line.of, line);
  boundSources(lines);
  checkDigest([...lines.values()], last);
  // The cursor covers both lists: they are read when their number is another one than before.
  if (!since || network !== remembered.feed?.network) await lists.read(cursor);
  const { following } = stored?.record ?? {};
  return {
    documents,
    complete: true,
    digests: new Map([...told].map((of) => [of, lines.get(of)?.digest ?? NOTHING])),
    memo: {
      feed: {
        cursor: cursorText(cursor),
        lines: [...lines.values()],
        network: lists.isCurrent ? network : undefined,
      },
    },
    following: { by: 'feed', since: following?.by === 'feed' ? following.since : clock.now() },
  };
}

/** Reads all pages, and adds what they say of documents to these. Undefined when nothing has changed. */
async function readChanges(polling: PeerPolling, documents: PeerDocuments, since: Cursor | undefined) {
  const path = since ? `/feed?since=${cursorText(since)}` : '/feed';
  const isKnown = since && polling.remembered.feed?.network !== undefined;
  const before = isKnown ? { etag: `"${cursorText(since)}"` } : undefined;
  /** The sources that were told of, by `sourceKey`; and those that have changed since the state that is read from. */
  const [told, changed] = [new Set<string>(), new Set<string>()];
  let pages: { readonly first: FeedPage; readonly last: FeedPage } | undefined;
  for await (const { page } of readPages(polling, { path, accept: 'application/json', before })) {
    if (!page) break;
    const { text, mediaType } = page;
    const last = await polling.parse(feedTask, { text, mediaType });
    pages = { first: pages?.first ?? last, last };
    // Pages behind the first one tell what has changed since that.
    const from = since ?? pages.first.cursor;
    for (const { position, ...statements } of last.changes) {
      documents.add(statements);
      if (position > from.position) changed.add(statements.of);
    }
    for (const { of } of [...last.changes, ...last.summaries]) told.add(of);
    boundSources(told);
  }
  return pages && { ...pages, told, changed };
}

/** @throws Failed */
function boundSources({ size }: { readonly size: number }): void {
  if (size > MOST_SOURCES) throw malformed(`it speaks of more than ${MOST_SOURCES} sources`);
}

/**
 * The cursor has the beginning of the digest over all sources: so it is noticed when something has changed,
 * and nothing was told of that.
 * @throws Failed
 */
function checkDigest(lines: readonly FeedSummary[], { cursor, network }: FeedPage): void {
  const summaries = lines.map(({ of, ...said }) => ({ ...said, source: sourceOfKey(of), position: 0 }));
  if (!feedDigest(summaries, network).startsWith(cursor.digest))
    throw new Failed('what it says of its sources is not the state that its cursor names', {
      why: 'disagrees',
    });
}
