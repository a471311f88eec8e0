import type { Catalog, State } from '../../catalog/catalog.js';
import { createQuadWriter, type QuadWriter } from '../../component/rdf/rdf-write.js';
import type { Breather } from '../../lib/pace.js';
import type { FeedParts, PageText } from './feed-page.js';
import {
  type FeedNaming,
  feedAddress,
  feedPrefixes,
  memberQuads,
  pageQuads,
  type Relation,
  streamQuads,
} from './feed-quads.js';
import { parametersWith } from './feed-request.js';
import { gatherRange, type Range } from './gather-changes.js';
import type { RdfType } from './written-page.js';

/** Changes that one node of the event stream has at most; one with more has none, and leads to its parts. */
const MEMBERS = 1000;
/** A range is divided into so many parts; the widths of all ranges are its powers. */
const PARTS = 10;

/** The range of the root: the narrowest one that holds every position that there has been. */
export function wholeRange({ feed }: State): Range {
  let until = MEMBERS;
  while (until < feed.position) until *= PARTS;
  return { after: 0, until };
}

/** Is this one of the ranges that the event stream is divided into? */
export function isRange({ after, until }: Range): boolean {
  const width = until - after;
  return width > 0 && /^10*$/.test(String(width)) && after % width === 0;
}

/** The address of the node for a range; of another epoch, the same positions are other changes. */
export function rangeAddress({ after, until }: Range, naming: FeedNaming): string {
  const { epoch } = naming;
  return `${feedAddress(naming)}/range?${parametersWith({ epoch, after, until })}`;
}

export interface NodeOrder {
  readonly range: Range;
  /** The root describes the stream, and is never closed. */
  readonly isRoot: boolean;
  readonly type: RdfType;
  readonly naming: FeedNaming;
  /** Bytes that it should have at most. */
  readonly maxBytes: number;
}

/**
 * A node of the event stream: the changes in a range of positions, removals included, or relations to the parts of the
 * range. As positions only grow, a range that lies behind the latest position gets no more changes: its node is closed,
 * and clients need not read it again. So whoever follows the stream reads the root, and the nodes on the way to the
 * latest position.
 */
export async function rangeNode(parts: FeedParts, order: NodeOrder): Promise<PageText> {
  const { range, isRoot, type, naming } = order;
  const catalog = parts.catalog;
  const members = await membersIn(catalog, order, parts.pace());
  const relations = members.writer ? [] : await relationsToParts(catalog, range, naming);
  const { state, text } = members;
  const writer = members.writer ?? writerFor(order);
  const address = isRoot ? feedAddress(naming) : rangeAddress(range, naming);
  const about = [...pageQuads(naming, address, state, relations), ...(isRoot ? streamQuads(naming) : [])];
  return {
    type,
    state,
    text: text + writer.write(about) + writer.end(),
    isClosed: !isRoot && range.until <= state.feed.position,
  };
}

interface Members {
  readonly state: State;
  readonly text: string;
  /** What the text was written with; absent where they are too many for one node. */
  readonly writer?: QuadWriter;
}

async function membersIn(catalog: Catalog, order: NodeOrder, breathe: Breather): Promise<Members> {
  const { range, naming, maxBytes } = order;
  const writer = writerFor(order);
  const isPoint = range.until - range.after === 1;
  let text = '';
  let count = 0;
  let fits = true;
  const state = await gatherRange({ catalog, breathe }, range, (change) => {
    text += writer.write(memberQuads(naming, change));
    count += 1;
    fits = isPoint || (count <= MEMBERS && text.length < maxBytes);
    return fits;
  });
  return fits ? { state, text, writer } : { state, text: '' };
}

async function relationsToParts(catalog: Catalog, range: Range, naming: FeedNaming): Promise<Relation[]> {
  const width = (range.until - range.after) / PARTS;
  const found: { part: Range; from: number }[] = [];
  for (let { after } = range; after < range.until; after = found.at(-1)?.part.until ?? range.until) {
    const answer = await catalog.changes({ after, removals: true, limit: 1 });
    const first = 'unknown' in answer ? undefined : answer.changes[0];
    if (!first || first.position > range.until) break;
    const start = Math.floor((first.position - 1) / width) * width;
    found.push({ part: { after: start, until: start + width }, from: first.at });
  }
  return found.map(({ part, from }, i) => ({
    node: rangeAddress(part, naming),
    from,
    to: found[i + 1]?.from,
  }));
}

function writerFor({ type, naming }: NodeOrder): QuadWriter {
  return createQuadWriter(type, naming.vocabulary, feedPrefixes(naming));
}
