import type { Catalog, Changes, ChangesRequest, State, StatementChange } from '../../catalog/catalog.js';
import type { Metadata } from '../../component/metadata.js';
import { DIGEST_VERSION, payloadHash } from '../../component/statement-digest.js';
import { cursorOf, cursorText, parseCursor } from '../../core/cursor.js';
import type { UnknownState } from '../../core/feed-window.js';
import { type SourceSummary, summariesFor } from '../../core/source-digests.js';
import { compareText } from '../../lib/compare-text.js';
import { Problem } from '../../lib/http/problem.js';
import type { Pace } from '../../lib/pace.js';
import { addressWith, PAGE_SIZE, type PageParameters } from './feed-parameters.js';
import { feedAddress, feedNaming, feedWriter, type RdfType, typeOf } from './feed-quads.js';

/** Changes that are asked of the catalog at a time: what they say is in memory as objects, each up to 200 kB. */
const SLICE = 50;

/** What pages are made of. */
export interface PageSource {
  readonly catalog: Catalog;
  readonly pace: Pace;
  /** Bytes of one page, about: it is made before it is sent, and slow followers keep it in memory. */
  readonly maxBytes: number;
}

/** A page before it is compressed. */
export interface PageText {
  /** The state that a follower has reached after this page, if there is no `next`. */
  readonly state: State;
  readonly text: string;
  /** False when memory was short or something changed while it was made. */
  readonly isReproducible: boolean;
  /** Where it goes on. */
  readonly next?: string | undefined;
  /** Its range is full: no change will be added. */
  readonly isClosed?: boolean;
}

/** The address of a page, however its parameters were written. */
function pageAddress({ naming }: State, { since, after, limit }: PageParameters): string {
  return addressWith(feedAddress(naming), { since, after, limit });
}

/** A page in JSON: docs/feed.md says what stands in it. */
export async function jsonPage(source: PageSource, asOf: State, asked: PageParameters): Promise<PageText> {
  const texts: string[] = [];
  const { state, next, isReproducible } = await gatherPage(source, asOf, asked, (change) => {
    const text = changeText(change);
    texts.push(text);
    return Buffer.byteLength(text) + 1;
  });
  const head = JSON.stringify(headOf(state, summariesFor(state.feed.sources, cursorIn(asked))));
  const tail = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return {
    state,
    next,
    isReproducible,
    text: `${head.slice(0, -1)},"changes":[${texts.join(',')}]${tail}}\n`,
  };
}

/** A page in RDF, its changes as members of the event stream. */
export async function rdfPage(
  source: PageSource,
  asOf: State,
  asked: PageParameters,
  type: RdfType,
): Promise<PageText> {
  const writer = feedWriter(type, feedNaming(asOf));
  const { state, next, last = 0, ...page } = await gatherPage(source, asOf, asked, writer.member);
  const relations = next === undefined ? [] : [{ node: next, behind: last }];
  const isReproducible = page.isReproducible && state === asOf;
  return { state, next, isReproducible, text: writer.end(pageAddress(asOf, asked), state, relations) };
}

/** A change as JSON text. */
function changeText(change: StatementChange): string {
  const { position, at, source, document, rank, uri, metadata, pin } = change;
  return JSON.stringify({
    position,
    at,
    type: typeOf(change),
    source: { kind: source.kind, url: source.url },
    graph: document,
    rank: rank || undefined,
    uri,
    pin,
    hash: metadata && payloadHash(metadata),
    component: metadata && plainNames(metadata),
  });
}

/** Under the names of the listing, absent fields and empty lists left out. */
function plainNames({ author, tag, shapes, ...metadata }: Metadata) {
  const { uri, label, description, version, latest, integrity, capability, example } = metadata;
  const some = (list: readonly string[]) => (list.length === 0 ? undefined : list);
  const single = { uri, label, description, version, latest, integrity, example };
  return { ...single, author: some(author), tag: some(tag), shapes: some(shapes), capability };
}

/** What every page tells of the whole node, and of some of its sources, in the order of their URLs. */
export function headOf(state: State, sources: readonly SourceSummary[]) {
  const summaries = sources.map(({ source: { kind, url }, ...summary }) => ({ kind, url, ...summary }));
  return {
    cursor: cursorText(cursorOf(state)),
    network: state.networkRevision.number,
    digestVersion: DIGEST_VERSION,
    sources: summaries.sort((a, b) => compareText(a.url, b.url) || compareText(a.kind, b.kind)),
  };
}

const cursorIn = ({ since }: PageParameters) => (since === undefined ? undefined : parseCursor(since));

interface GatheredPage extends Pick<PageText, 'state' | 'isReproducible'> {
  /** The position of the last change, and the address of the page that goes on behind it, where there are more. */
  readonly last?: number | undefined;
  readonly next?: PageText['next'];
}

/**
 * Hands the changes of a page to `write`, which says how many bytes each takes. When something changes meanwhile, the page ends
 * there: so it belongs to one state, and the next page tells what has changed.
 * @throws Problem 410 when the node does not know the state that is asked about
 */
async function gatherPage(
  { catalog, pace, maxBytes }: PageSource,
  asOf: State,
  asked: PageParameters,
  write: (change: StatementChange) => number,
): Promise<GatheredPage> {
  const { after, limit } = asked;
  const since = cursorIn(asked);
  const breathe = pace();
  const page = (state: State, last: number | undefined): GatheredPage => {
    if (last === undefined) return { state, isReproducible: true };
    const from = cursorText(since ?? cursorOf(state));
    const next = pageAddress(asOf, { since: from, after: last, limit });
    return { state, last, next, isReproducible: left === 0 };
  };
  let left = limit ?? PAGE_SIZE.usual;
  let room = maxBytes;
  let read: Changes | undefined;
  const request = { since, after, limit: Math.min(SLICE, left) };
  for await (const slice of slicesOf(catalog, request, feedAddress(asOf.naming))) {
    if (read && read.state !== slice.state) break;
    read = slice;
    for (const change of slice.changes) {
      room -= write(change);
      left -= 1;
      const isLast = slice.next === undefined && change === slice.changes.at(-1);
      if (room <= 0 || left === 0) return page(slice.state, isLast ? undefined : change.position);
      await breathe();
    }
    await breathe();
  }
  return page(read?.state ?? asOf, read?.next);
}

/** Positions greater than `after`, up to `until`. */
export interface Range {
  readonly after: number;
  readonly until: number;
}

/**
 * Hands all changes in a range to `take` that are remembered, removals included, until it wants no more and returns false.
 */
export async function gatherRange(
  { catalog, pace }: PageSource,
  { after, until }: Range,
  take: (change: StatementChange) => boolean,
): Promise<void> {
  const breathe = pace();
  for await (const { changes } of slicesOf(catalog, { after, removals: true, limit: SLICE }, '')) {
    for (const change of changes) {
      if (change.position > until || !take(change)) return;
      await breathe();
    }
  }
}

async function* slicesOf(catalog: Catalog, request: ChangesRequest, root: string): AsyncGenerator<Changes> {
  for (let { after } = request; ; ) {
    const answer = await catalog.changes({ ...request, after });
    if ('unknown' in answer) throw gone(answer, root);
    yield answer;
    if (answer.next === undefined) return;
    after = answer.next;
  }
}

const WHY: Readonly<Record<UnknownState['unknown'], string>> = {
  epoch: 'The cursor is of another data directory, or from before a repair',
  expired: 'Removals since this cursor have been forgotten',
  future: 'This node has not reached this cursor: its data is older, like that of a backup',
  fork: 'This node has never been in the state of this cursor: its history is another one, like that of a backup',
};

/** The answer to a follower that the node cannot tell what has changed (design, section 11). */
export function gone({ unknown }: UnknownState, snapshot: string): Problem {
  const members = { reason: unknown, snapshot };
  return new Problem(410, `${WHY[unknown]}; read everything again, from ${snapshot}`, { members });
}
