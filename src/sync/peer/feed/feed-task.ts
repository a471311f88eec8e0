import { sizeOf } from '../../../component/component-size.js';
import { DIGEST_VERSION } from '../../../component/statement-digest.js';
import { parseBoundedJson } from '../../../lib/bounded-json.js';
import { explain, MalformedInput } from '../../../lib/faults.js';
import type { Parsing, Task } from '../../../lib/pool/task.js';
import { portions } from '../../../lib/portions.js';
import {
  type FeedChange,
  type FeedPage,
  type FeedSummary,
  pageSchema,
  readChange,
  readSummary,
} from './feed-page.js';

/** A body that a peer sent. */
interface FeedBody {
  readonly text: string;
}

/** Some of a page. */
type Piece = Partial<FeedPage>;

/** Members of JSON that a change has at most: texts in three lists, and its fields. */
const BOUNDS = { depth: 10, members: 1_500_000 };

/** Reads a page of a peer's feed. */
export const feedTask: Task<FeedBody, Piece> = {
  module: 'sync/peer/feed/feed-task.js',
  name: 'feedTask',
  short: 20_000,
  *run({ text }) {
    const page = pageSchema.safeParse(parseBoundedJson(text, BOUNDS));
    if (!page.success) throw new MalformedInput('it is JSON, and no change feed');
    const { cursor, network, digestVersion, sources, changes, next } = page.data;
    // Its digests could not be compared, so that the peer is read by its listing.
    if (digestVersion !== DIGEST_VERSION)
      throw new MalformedInput(
        `its digests are of version ${digestVersion}, not of version ${DIGEST_VERSION}`,
      );
    yield { cursor, network, more: next !== undefined };
    const summaries = eachRead('source', sources, readSummary);
    for (const portion of portions(summaries, ({ of }) => of.length)) yield { summaries: portion };
    const read = eachRead('change', changes, readChange);
    for (const portion of portions(read, lengthOf)) yield { changes: portion };
  },
};

/** Reads parts of a page; what is wrong with one of them names it. */
function* eachRead<T>(what: string, parts: readonly unknown[], read: (part: unknown) => T): Generator<T> {
  for (const [i, part] of parts.entries()) {
    try {
      yield read(part);
    } catch (cause) {
      throw new MalformedInput(`${what} ${i + 1} on the page is wrong: ${explain(cause)}`);
    }
  }
}

function lengthOf({ graph, uri = '', metadata, wrong = '' }: FeedChange): number {
  return graph.length + uri.length + wrong.length + (metadata ? sizeOf(metadata) : 0);
}

/** Bytes cannot be used any more afterwards. @throws MalformedInput */
export async function readFeedPage(text: Uint8Array, { pool, ...options }: Parsing): Promise<FeedPage> {
  const size = text.length;
  const summaries: FeedSummary[] = [];
  const changes: FeedChange[] = [];
  let page: FeedPage = { cursor: '', network: 0, more: false, bytes: size, summaries, changes };
  for await (const piece of pool.run(feedTask, { text }, { ...options, size })) {
    summaries.push(...(piece.summaries ?? []));
    changes.push(...(piece.changes ?? []));
    page = { ...page, ...piece, summaries, changes };
  }
  return page;
}
