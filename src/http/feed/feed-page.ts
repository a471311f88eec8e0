import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Naming } from '../../component/naming.js';
import type { Config } from '../../config.js';
import { acceptedCodings } from '../../lib/http/headers/content-coding.js';
import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { isNotModified } from '../../lib/http/response/conditional.js';
import type { Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { State } from '../../registry/state.js';
import type { ListScopes } from '../network/list-scopes.js';
import { cursorIn } from './feed-json.js';
import type { MadePage, PageStore } from './page-store.js';

/** What the answers of the feed are made with. */
export interface FeedParts {
  readonly catalog: () => Catalog;
  readonly naming: Naming;
  readonly pace: Pace;
  readonly pages: PageStore;
  readonly config: Pick<Config, 'mode'>;
  readonly listScopes: ListScopes;
}

/** A page before it is compressed. */
export interface PageText {
  readonly type: string;
  /** The state that it leads to. */
  readonly state: State;
  readonly text: string;
  /** Where it goes on. */
  readonly next?: string | undefined;
  /** Its entity tag, where it is not that of the state. */
  readonly etag?: string | undefined;
  /** Will it never have more in it than now? */
  readonly isClosed?: boolean;
}

const compress = promisify(gzip);
/** Shorter bodies are not compressed, in bytes: it would save less than it costs. */
const SHORT = 800;
/** Both decide about the bytes of an answer. */
const VARY = 'Accept, Accept-Encoding';

const NO_CACHE = { vary: VARY, 'cache-control': 'no-cache' };

/** For how long caches may send a closed page again: what it says is true on, and newer pages say what has changed. */
const CLOSED = { vary: VARY, 'cache-control': 'public, max-age=86400, immutable' };

/** The header by which an answer says what state it was made in. */
export function feedCursor(state: State): Record<string, string> {
  return { 'feed-cursor': cursorIn(state) };
}

/** The validators of everything that follows from the state alone. */
function validators(state: State): { readonly etag: string } {
  return { etag: `"${cursorIn(state)}"` };
}

/**
 * The tag of what follows from the state, and from a number that says the same when it is another one: those of the lists
 * within some hops begin anew when the node starts. So it is a weak one (RFC 9110, section 8.8.1).
 */
export function weakTag(state: State): string {
  return `W/${validators(state).etag}`;
}

/**
 * The 304 for a reader that is in the current state. It has as few headers as RFC 9110, section 15.4.5 allows: the cursor
 * is in the `ETag`, and most readers get nothing else most of the time.
 */
export function unchangedFeed(
  { req }: RouteContext,
  state: State,
  etag = validators(state).etag,
): Answer | undefined {
  const ifNoneMatch = req.header('if-none-match');
  const strong = etag.replace(/^W\//, '');
  if (!isNotModified({ ifNoneMatch, ifModifiedSince: undefined }, { etag: strong, since: 0 }, 0))
    return undefined;
  return { status: 304, headers: { etag, ...NO_CACHE } };
}

export interface AskedPage {
  /** What makes it another page. */
  readonly key: string;
  readonly state: State;
  /** Headers beside those of the page. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Answers with a page, from memory if another reader has asked for it in the same state. */
export async function answerPage(
  { pages }: FeedParts,
  { req }: RouteContext,
  { key, state, more = {} }: AskedPage,
  make: (maxBytes: number) => Promise<PageText>,
): Promise<Answer> {
  const coding = acceptedCodings(req.header('accept-encoding')).find((one) => one === 'gzip');
  const page = await pages.get(`${key} ${coding ?? ''}`, state, async (maxBytes) =>
    encoded(await make(maxBytes), coding),
  );
  const headers = { ...page.headers, ...more };
  if (req.method !== 'HEAD') return { status: 200, headers, body: page.send() };
  page.release();
  return { status: 200, headers: { ...headers, 'content-length': String(page.bytes) } };
}

async function encoded(page: PageText, coding: 'gzip' | undefined): Promise<MadePage> {
  const plain = Buffer.from(page.text);
  const isCoded = coding !== undefined && plain.length >= SHORT;
  return {
    body: isCoded ? await compress(plain) : plain,
    headers: { ...pageHeaders(page), ...(isCoded ? { 'content-encoding': coding } : {}) },
  };
}

/** The headers of a page that is not compressed. */
export function pageHeaders({
  type,
  state,
  next,
  etag,
  isClosed = false,
}: Omit<PageText, 'text'>): Record<string, string> {
  return {
    'content-type': type,
    ...validators(state),
    ...(etag === undefined ? {} : { etag }),
    ...feedCursor(state),
    ...(isClosed ? CLOSED : NO_CACHE),
    ...(next === undefined ? {} : { link: `<${next}>; rel="next"` }),
  };
}
