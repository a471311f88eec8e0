import type { State, StatementChange } from '../../catalog/catalog.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import { cursorOf, cursorText } from '../../core/cursor.js';
import { compareText } from '../../lib/compare-text.js';
import { changeText, cursorIn, summaryOf } from './feed-json.js';
import type { FeedParts, PageText } from './feed-page.js';
import { type FeedNaming, feedAddress, feedPrefixes, memberQuads, pageQuads } from './feed-quads.js';
import { type GatheredPage, gatherChanges, type WantedChanges } from './gather-changes.js';

/** The representations of changes in RDF. */
export const RDF_TYPES = ['application/trig', 'application/n-quads'] as const;
export type RdfType = (typeof RDF_TYPES)[number];

/** A page that is to be written. */
export interface PageOrder {
  readonly wanted: WantedChanges;
  /** Bytes that it should have at most. */
  readonly maxBytes: number;
  /** The address of the page that goes on behind a position; `since` as a cursor. */
  readonly addressAfter: (position: number, since: string) => string;
}

/** A page in JSON. `more`: its members beside `cursor`, `changes` and `next`. */
export async function jsonPage(
  parts: FeedParts,
  order: PageOrder,
  more: (page: Omit<GatheredPage, 'next'>) => Record<string, unknown> | Promise<Record<string, unknown>>,
): Promise<PageText> {
  const texts: string[] = [];
  const page = await gatherPage(parts, order, (change) => {
    const text = changeText(change);
    texts.push(text);
    return Buffer.byteLength(text) + 1;
  });
  const { next } = page;
  const head = JSON.stringify({ cursor: cursorIn(page.state), ...(await more(page)) });
  const tail = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return {
    type: 'application/json',
    state: page.state,
    next,
    text: `${head.slice(0, -1)},"changes":[${texts.join(',')}]${tail}}\n`,
  };
}

/** A page of the event stream: its changes as members. `address`: its own. */
export async function rdfPage(
  parts: FeedParts,
  order: PageOrder,
  { type, address, naming }: { type: RdfType; address: string; naming: FeedNaming },
): Promise<PageText> {
  const writer = createQuadWriter(type, naming.vocabulary, feedPrefixes(naming));
  let text = '';
  const page = await gatherPage(parts, order, (change) => {
    const written = writer.write(memberQuads(naming, change));
    text += written;
    return Buffer.byteLength(written);
  });
  const { next, last } = page;
  const relations = next === undefined ? [] : [{ node: next, behind: last ?? 0 }];
  text += writer.write(pageQuads(naming, address, page.state, relations)) + writer.end();
  return { type, state: page.state, next, text };
}

/** The summaries of sources in the order of their URLs. */
export function summariesOf(sources: State['feed']['sources']) {
  return sources
    .map(summaryOf)
    .sort((one, other) => compareText(one.url, other.url) || compareText(one.kind, other.kind));
}

/** Hands the changes of a page to `write`, which says how many bytes each takes; and says where the page goes on. */
export async function gatherPage(
  { catalog, pace }: FeedParts,
  { wanted, maxBytes, addressAfter }: PageOrder,
  write: (change: StatementChange) => number,
): Promise<
  Omit<GatheredPage, 'next'> & { readonly last?: number | undefined; readonly next?: string | undefined }
> {
  let bytes = 0;
  const { naming } = await catalog.state();
  const gathering = { catalog: catalog, snapshot: feedAddress(naming), breathe: pace() };
  const { next: last, ...page } = await gatherChanges(gathering, wanted, (change) => {
    bytes += write(change);
    return bytes < maxBytes;
  });
  if (last === undefined) return page;
  const since = cursorText(wanted.since ?? cursorOf(page.state));
  return { ...page, last, next: addressAfter(last, since) };
}
