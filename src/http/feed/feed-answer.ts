import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { State } from '../../catalog/catalog.js';
import { cursorOf, cursorText } from '../../core/cursor.js';
import { formatHttpDate } from '../../lib/http/headers/http-date.js';
import { acceptsGzip } from '../../lib/http/headers/negotiate.js';
import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { namesTag } from '../../lib/http/response/conditional.js';
import { feedCursor, fingerprintOf } from '../entity-tags.js';
import type { PageSource, PageText } from './feed-pages.js';
import type { UnsentPages } from './unsent-pages.js';

/** Makes a page of the feed, of so many bytes as the source says. */
export type MakePage = (source: PageSource) => Promise<PageText>;

/** What pages are made of, and where those are counted that are not sent yet. */
export interface FeedSource extends Omit<PageSource, 'maxBytes'> {
  readonly unsent: UnsentPages;
}

const compress = promisify(gzip);
/** Shorter pages are not compressed, in bytes: it would save less than it costs. */
const SHORT = 800;
/** What has fewer bytes does not count for what is unsent. */
const UNCOUNTED = 16_384;

/** Both decide about the bytes of an answer. */
const VARY = 'Accept, Accept-Encoding';
const NO_CACHE = { vary: VARY, 'cache-control': 'no-cache' };
/** For how long caches may send a closed page again: what it says is true on, and newer pages say what has changed. */
const CLOSED = { vary: VARY, 'cache-control': 'public, max-age=86400, immutable' };

const takesGzip = ({ req }: RouteContext) => acceptsGzip(req.header('accept-encoding'));

/**
 * The tag of one representation in one state: for followers that take a coding, it is another one (RFC
 * 9110, section 8.8.3), also where the page is too short to be compressed. It is short, since it is in
 * every 304: the media types are told apart by the first letter of their subtypes, which no digest of a
 * cursor has. A page that is not reproducible has a mark, which is made of its text.
 */
function tagOf(c: RouteContext, state: State, type: string, mark = ''): string {
  const coding = takesGzip(c) ? 'z' : '';
  return `"${cursorText(cursorOf(state))}${type.charAt(type.indexOf('/') + 1)}${coding}${mark}"`;
}

/**
 * The 304 for a follower that has this representation, or says no more than that it is in the current state: its tag is the
 * cursor then. It has as few headers as RFC 9110, section 15.4.5 allows, as most followers get nothing else most of the time.
 */
export function unchangedFeed(c: RouteContext, state: State, type: string): Answer | undefined {
  const held = c.req.header('if-none-match');
  const etag = tagOf(c, state, type);
  const isNamed = [etag, `"${cursorText(cursorOf(state))}"`].some((tag) => namesTag(held, tag));
  return isNamed ? { status: 304, headers: { etag, ...NO_CACHE } } : undefined;
}

/**
 * Answers with a page. A thousand followers that hear of a change at once ask for the same one, which the
 * response cache has made once. Whether a follower has a page that is not reproducible is known when it has
 * been made again.
 */
export async function feedAnswer(
  c: RouteContext,
  type: string,
  { unsent, ...source }: FeedSource,
  make: MakePage,
): Promise<Answer> {
  return unsent.make(async (maxBytes) => {
    const { state, text, next, isReproducible, isClosed } = await make({ ...source, maxBytes });
    const etag = tagOf(c, state, type, isReproducible ? '' : `-${fingerprintOf([text])}`);
    if (namesTag(c.req.header('if-none-match'), etag))
      return { status: 304, headers: { etag, ...NO_CACHE }, repeatable: true };
    const plain = Buffer.from(text);
    const isCoded = takesGzip(c) && plain.length >= SHORT;
    const headers = {
      'content-type': type,
      etag,
      'last-modified': formatHttpDate(Math.max(state.revision.since, state.networkRevision.since)),
      ...feedCursor(state),
      ...(isClosed ? CLOSED : NO_CACHE),
      ...(next && { link: `<${next}>; rel="next"` }),
      ...(isCoded && { 'content-encoding': 'gzip' }),
    };
    const body = isCoded ? await compress(plain) : plain;
    const hold = body.length < UNCOUNTED ? undefined : () => unsent.hold(body);
    return { status: 200, headers, body, hold, streams: true, repeatable: true };
  });
}
