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
  const lines = new Map((since && remembered.feed?.lines)?.map((line) => [line.of, line]));
  const last = await readChanges(polling, documents, lines, since);
  if (!last) return { complete: true };
  const { cursor, network, told } = last;
  checkDigest([...lines.values()], last);
  // The cursor covers both lists: they are read when their number is another one than before.
  if (!since || network !== remembered.feed?.network) await lists.read();
  // Several processes may answer for the peer: one of them may not have heard yet what another one has told.
  const isPast = ({ epoch, position }: Cursor) => epoch !== cursor.epoch || position < cursor.position;
  const isRead = lists.failures.size === 0 && !lists.isMissing && !lists.states.some(isPast);
  const feed = {
    cursor: cursorText(cursor),
    lines: [...lines.values()],
    network: isRead ? network : undefined,
  };
  const { following } = stored?.record ?? {};
  return {
    documents,
    complete: true,
    digests: new Map([...told].map((of) => [of, lines.get(of)?.digest ?? NOTHING])),
    memo: { feed },
    following: { by: 'feed', since: following?.by === 'feed' ? following.since : clock.now() },
  };
}

interface LastPage extends Pick<FeedPage, 'cursor' | 'network'> {
  /** The sources that were told of, by `sourceKey`. */
  readonly told: ReadonlySet<string>;
}

/**
 * Reads all pages: what they say of documents is added to these, and what they say of sources to the lines of
 * the state before.
 * @returns what the last page says, unless nothing has changed
 */
async function readChanges(
  polling: PeerPolling,
  documents: PeerDocuments,
  lines: Map<string, FeedSummary>,
  since: Cursor | undefined,
): Promise<LastPage | undefined> {
  const [told, changed] = [new Set<string>(), new Set<string>()];
  const path = since ? `/feed?since=${cursorText(since)}` : '/feed';
  const isKnown = since && polling.remembered.feed?.network !== undefined;
  const before = isKnown ? { etag: `"${cursorText(since)}"` } : undefined;
  let last: LastPage | undefined;
  let from = since?.position;
  let ofFormerPage: string[] = [];
  for await (const { page } of readPages(polling, { path, accept: 'application/json', before })) {
    if (!page) break;
    const { text, mediaType } = page;
    const cursor = { epoch: '', position: 0, digest: '' };
    const nothing: FeedPage = { cursor, network: 0, summaries: [], changes: [] };
    const read = await polling.parse(feedTask, { text, mediaType }, nothing);
    from ??= read.cursor.position;
    // A source that has changed, and is not told of by the page that was read last, has nothing any more.
    for (const of of ofFormerPage) if (changed.has(of)) lines.delete(of);
    for (const { position, ...statements } of read.changes) {
      documents.add(statements);
      if (position <= from) continue;
      changed.add(statements.of);
      told.add(statements.of);
      lines.delete(statements.of);
    }
    for (const line of read.summaries) lines.set(line.of, line);
    ofFormerPage = read.summaries.map(({ of }) => of);
    for (const of of ofFormerPage) told.add(of);
    // Each source that it had may have gone, and another one come.
    if (lines.size > MOST_SOURCES || told.size > 2 * MOST_SOURCES)
      throw malformed(`it speaks of more than ${MOST_SOURCES} sources`);
    last = { cursor: read.cursor, network: read.network, told };
  }
  return last;
}

/**
 * The cursor has the beginning of the digest over all sources: so it is noticed when something has changed,
 * and nothing was told of that.
 * @throws Failed
 */
function checkDigest(lines: readonly FeedSummary[], { cursor, network }: LastPage): void {
  const summaries = lines.map(({ of, ...said }) => ({ ...said, source: sourceOfKey(of), position: 0 }));
  if (!feedDigest(summaries, network).startsWith(cursor.digest))
    throw new Failed('what it says of its sources is not the state that its cursor names', {
      why: 'disagrees',
    });
}
