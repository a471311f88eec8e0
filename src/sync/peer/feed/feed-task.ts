import { sizeOf } from '../../../component/component-size.js';
import { parseBoundedJson } from '../../../lib/bounded-json.js';
import { explain, MalformedInput } from '../../../lib/faults.js';
import type { Parsing, Task } from '../../../lib/pool/task.js';
import { portions } from '../../../lib/portions.js';
import type { FeedChange, FeedPage, FeedSummary } from './feed-page.js';
import { pageSchema, readChange, readSummary } from './feed-schema.js';

/** A body that a peer sent. */
interface FeedBody {
  readonly text: string;
}

type Piece = Partial<Omit<FeedPage, 'characters'>> & Pick<FeedPage, 'summaries' | 'changes'>;

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
    const { cursor, network, sources = [], changes = [], next } = page.data;
    yield { cursor, more: next !== undefined, network, summaries: [], changes: [] };
    for (const portion of portions(summariesIn(sources), ({ of }) => of.length))
      yield { summaries: portion, changes: [] };
    for (const portion of portions(changesIn(changes), sizeOfChange))
      yield { summaries: [], changes: portion };
  },
};

function* summariesIn(summaries: readonly unknown[]): Generator<FeedSummary> {
  for (const [i, summary] of summaries.entries()) yield naming(`source ${i + 1}`, () => readSummary(summary));
}

function* changesIn(changes: readonly unknown[]): Generator<FeedChange> {
  let last = 0;
  for (const [i, change] of changes.entries()) {
    const read = naming(`change ${i + 1}`, () => readChange(change));
    if (read.position <= last) throw new MalformedInput(`position ${read.position} comes after ${last}`);
    last = read.position;
    yield read;
  }
}

/** Reads a part of a page; what is wrong with it names the part. */
function naming<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new MalformedInput(`${what} on the page is wrong: ${explain(cause)}`);
  }
}

function sizeOfChange({ graph, uri = '', ...said }: FeedChange): number {
  const more = said.wrong ? said.wrong.message.length : said.metadata ? sizeOf(said.metadata) : 0;
  return graph.length + uri.length + more;
}

/** Bytes cannot be used any more afterwards. @throws MalformedInput */
export async function readFeedPage(
  text: string | Uint8Array,
  { pool, ...options }: Parsing,
): Promise<FeedPage> {
  const size = text.length;
  let head: Piece | undefined;
  const summaries: FeedSummary[] = [];
  const changes: FeedChange[] = [];
  for await (const piece of pool.run(feedTask, { text }, { ...options, size })) {
    head ??= piece;
    summaries.push(...piece.summaries);
    changes.push(...piece.changes);
  }
  const { cursor = '', more = false, ...rest } = head ?? {};
  return { ...rest, cursor, more, summaries, changes, characters: size };
}
