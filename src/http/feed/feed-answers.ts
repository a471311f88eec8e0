import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { State } from '../../catalog/catalog.js';
import { acceptsGzip } from '../../lib/http/headers/content-coding.js';
import { formatHttpDate } from '../../lib/http/headers/http-date.js';
import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { namesTag } from '../../lib/http/response/conditional.js';
import { SharedBodies } from '../../lib/http/response/shared-bodies.js';
import { PerRevision } from '../per-revision.js';
import { cursorIn } from './feed-json.js';

/** A page before it is compressed. */
export interface PageText {
  /** The state that it leads to. */
  readonly state: State;
  readonly text: string;
  /** Where it goes on. */
  readonly next?: string | undefined;
  /** Will it never have more in it than now? */
  readonly isClosed?: boolean;
}

/** Makes a page of so many bytes at most, about. */
export type MakePage = (maxBytes: number) => Promise<PageText>;

export interface AskedPage {
  readonly type: string;
  readonly state: State;
  /** What makes it another page than others of this type in this state. */
  readonly key: string;
}

/** Bytes of pages that are kept. */
const KEPT_BYTES = 8_000_000;
/** Bytes of pages that are being made and sent, about; when there are more, new pages are made shorter. */
const SENT_BYTES = 32_000_000;
/** Bytes of one page: at most, and at least when memory is short. */
const PAGE_BYTES = { most: 4_000_000, least: 65_536 };

const compress = promisify(gzip);
/** Shorter pages are not compressed, in bytes: it would save less than it costs. */
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

/** The coding that a follower takes. */
function codingFor({ req }: RouteContext): 'gzip' | undefined {
  return acceptsGzip(req.header('accept-encoding')) ? 'gzip' : undefined;
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

/**
 * Answers with pages of the feed. A thousand followers that hear of a change at once ask for the same page: it is made once, and
 * sent to all from the same bytes. Slow followers that ask for ever other pages cannot fill the memory: pages get shorter
 * meanwhile, and followers follow more links.
 */
export class FeedAnswers {
  readonly #made = new PerRevision<Answer & { readonly body: Uint8Array }>(
    KEPT_BYTES,
    ({ body }) => body.length,
  );
  readonly #sent = new SharedBodies();
  #making = 0;

  /** The page, made by `make` unless it is there. */
  async answer(c: RouteContext, { type, state, key }: AskedPage, make: MakePage): Promise<Answer> {
    const coding = codingFor(c);
    const page = await this.#made.get(state, `${type} ${coding} ${key}`, async () => {
      const made = await this.#make(make);
      const plain = Buffer.from(made.text);
      const headers = pageHeaders(type, made, coding);
      if (!coding || plain.length < SHORT) return { status: 200, headers, body: plain };
      return {
        status: 200,
        headers: { ...headers, 'content-encoding': coding },
        body: await compress(plain),
      };
    });
    return { ...page, body: this.#sent.send(page.body), streams: true };
  }

  async #make(make: MakePage): Promise<PageText> {
    const free = (SENT_BYTES - this.#sent.bytes - this.#making) / 4;
    const bytes = Math.floor(Math.min(Math.max(free, PAGE_BYTES.least), PAGE_BYTES.most));
    this.#making += bytes;
    try {
      return await make(bytes);
    } finally {
      this.#making -= bytes;
    }
  }
}

function pageHeaders(type: string, { state, next, isClosed }: PageText, coding?: 'gzip') {
  return {
    'content-type': type,
    etag: tagOf(state, type, coding),
    'last-modified': formatHttpDate(Math.max(state.revision.since, state.networkRevision.since)),
    ...feedCursor(state),
    ...(isClosed ? CLOSED : NO_CACHE),
    ...(next && { link: `<${next}>; rel="next"` }),
  };
}
