import type { Catalog, State } from '../../catalog/catalog.js';
import { acceptedCodings } from '../../lib/http/headers/content-coding.js';
import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { namesTag } from '../../lib/http/response/conditional.js';
import type { Pace } from '../../lib/pace.js';
import type { LatestLists } from '../network/latest-lists.js';
import { type PageStore, pageOf } from '../page-store.js';
import { cursorIn } from './feed-json.js';

/** What the answers of the feed are made with. */
export interface FeedParts {
  readonly catalog: Catalog;
  readonly pace: Pace;
  readonly pages: PageStore;
  readonly latestLists: LatestLists;
}

/** A page before it is compressed. */
export interface PageText {
  readonly type: string;
  /** The state that it leads to. */
  readonly state: State;
  readonly text: string;
  /** Where it goes on. */
  readonly next?: string | undefined;
  /** Will it never have more in it than now? */
  readonly isClosed?: boolean;
}

/** Both decide about the bytes of an answer. */
const VARY = 'Accept, Accept-Encoding';

const NO_CACHE = { vary: VARY, 'cache-control': 'no-cache' };

/** For how long caches may send a closed page again: what it says is true on, and newer pages say what has changed. */
const CLOSED = { vary: VARY, 'cache-control': 'public, max-age=86400, immutable' };

/** The header by which an answer says what state it was made in. */
export function feedCursor(state: State): Record<string, string> {
  return { 'feed-cursor': cursorIn(state) };
}

/** The coding that a follower takes. */
export function codingFor({ req }: Pick<RouteContext, 'req'>): 'gzip' | undefined {
  return acceptedCodings(req.header('accept-encoding')).find((one) => one === 'gzip');
}

/**
 * The tag of one representation in one state: for followers that take a coding, it is another one (RFC 9110, section 8.8.3),
 * also where the page is too short to be compressed. It is short, since it is in every 304: the media types are told apart by
 * the first letter of their subtypes, which no digest of a cursor has.
 */
function tagOf(state: State, type: string, coding?: 'gzip'): string {
  return `"${cursorIn(state)}${type.charAt(type.indexOf('/') + 1)}${coding ? 'z' : ''}"`;
}

/**
 * The 304 for a follower that has this representation, or says no more than that it is in the current state: its tag is the
 * cursor then. It has as few headers as RFC 9110, section 15.4.5 allows, as most followers get nothing else most of the time.
 */
export function unchangedFeed(c: RouteContext, state: State, type: string): Answer | undefined {
  const ifNoneMatch = c.req.header('if-none-match');
  const etag = tagOf(state, type, codingFor(c));
  if (!namesTag(ifNoneMatch, etag) && !namesTag(ifNoneMatch, `"${cursorIn(state)}"`)) return undefined;
  return { status: 304, headers: { etag, ...NO_CACHE } };
}

export interface AskedPage {
  /** What makes it another page. */
  readonly key: string;
  readonly state: State;
  /** Headers beside those of the page. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Answers with a page, from memory if another follower has asked for it in the same state. */
export async function answerPage(
  { pages }: FeedParts,
  c: RouteContext,
  { key, state, more = {} }: AskedPage,
  make: (maxBytes: number) => Promise<PageText>,
): Promise<Answer> {
  const coding = codingFor(c);
  const page = await pages.get(`${key} ${coding ?? ''}`, state, async (maxBytes) => {
    const { text, ...made } = await make(maxBytes);
    return pageOf(text, coding, () => pageHeaders(made, coding));
  });
  return { status: 200, headers: { ...page.headers, ...more }, body: page.send(), streams: true };
}

/** The headers of a page for followers that take a coding, or none. */
export function pageHeaders(
  { type, state, next, isClosed = false }: Omit<PageText, 'text'>,
  coding?: 'gzip',
): Record<string, string> {
  return {
    'content-type': type,
    etag: tagOf(state, type, coding),
    ...feedCursor(state),
    ...(isClosed ? CLOSED : NO_CACHE),
    ...(next && { link: `<${next}>; rel="next"` }),
  };
}
