import type * as z from 'zod';
import type { Catalog, State } from '../../catalog/catalog.js';
import { Problem } from '../../lib/http/problem.js';
import { gatherRange, gone, type PageSource, type PageText, type Range } from './feed-pages.js';
import { addressWith, type rangeSchema } from './feed-parameters.js';
import {
  type FeedNaming,
  feedAddress,
  feedNaming,
  feedWriter,
  type RdfType,
  type Relation,
} from './feed-quads.js';

/** Changes that one node of the event stream has at most; one with more has none, and leads to its parts. */
const MEMBERS = 1000;
/** A range is divided into so many parts; the widths of all ranges are its powers. */
const PARTS = 10;

/** The range of the root: the narrowest one that holds every position that there has been. */
function wholeRange({ feed }: State): Range {
  let until = MEMBERS;
  while (until < feed.position) until *= PARTS;
  return { after: 0, until };
}

/**
 * The range that is asked for.
 * @throws Problem 400 for what is none of those that the event stream is divided into, 410 for one of another history
 */
export function rangeAsked(
  { epoch, ...range }: z.output<typeof rangeSchema>,
  { revision, feed, naming }: State,
): Range {
  const root = feedAddress(naming);
  const width = range.until - range.after;
  const isPart = width > 0 && /^10*$/.test(String(width)) && range.after % width === 0;
  if (!isPart)
    throw new Problem(400, `This is no node of the event stream; begin at ${root}, and follow its relations`);
  if (epoch !== revision.epoch) throw gone({ unknown: 'epoch' }, root);
  if (range.after > feed.position) throw gone({ unknown: 'future' }, root);
  return range;
}

/** The address of the node for a range; of another epoch, the same positions are other changes. */
function rangeAddress({ after, until }: Range, naming: FeedNaming): string {
  return addressWith(`${feedAddress(naming)}/range`, { epoch: naming.epoch, after, until });
}

/**
 * A node of the event stream: the changes in a range of positions, removals included, or relations to the parts of the
 * range. As positions only grow, a range that lies behind the latest position gets no more changes: its node is closed,
 * and clients need not read it again. So whoever follows the stream reads the root, and the nodes on the way to the
 * latest position. What changes while it is made may be in it already; what is in the state as of which it is made always is.
 * @param asked absent for the root, which describes the stream and is never closed
 */
export async function rangeNode(
  source: PageSource,
  asOf: State,
  type: RdfType,
  asked?: Range,
): Promise<PageText> {
  const naming = feedNaming(asOf);
  const range = asked ?? wholeRange(asOf);
  const members = feedWriter(type, naming);
  const isPoint = range.until - range.after === 1;
  let [count, bytes, fits] = [0, 0, true];
  await gatherRange(source, range, (change) => {
    bytes += members.member(change);
    count += 1;
    fits = isPoint || (count <= MEMBERS && bytes < source.maxBytes);
    return fits;
  });
  const relations = fits ? [] : await relationsToParts(source.catalog, range, naming);
  const writer = fits ? members : feedWriter(type, naming);
  const text = writer.end(asked ? rangeAddress(asked, naming) : feedAddress(naming), asOf, relations, !asked);
  const isReproducible = (fits || count > MEMBERS) && (await source.catalog.state()) === asOf;
  return {
    state: asOf,
    text,
    isReproducible,
    isClosed: asked !== undefined && range.until <= asOf.feed.position,
  };
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
