import { parsedUrl } from '../../lib/can-parse-url.js';
import type { Clock } from '../../lib/clock.js';
import type {
  Credentials,
  FetchAnswer,
  FetchRequest,
  GuardedFetch,
  Trust,
} from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/http/headers/http-date.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { NoStream, type OpenStream } from '../source-reader.js';

export interface ListeningParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
}

/** Leads from a resource to the notifications about it (Solid Notifications Protocol, StreamingHTTPChannel2023). */
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';

export interface Topic {
  /** Of a container or a document. */
  readonly url: string;
  readonly trust: Trust;
  readonly credentials?: Credentials | undefined;
}

/**
 * The notifications of a pod about one resource. A container's tell of members that come and go; edits are told by those
 * of the document. What they say is not read: each piece that comes is a hint.
 */
export function podStream(parts: ListeningParts, topic: Topic): OpenStream {
  const { clock } = parts;
  const { url, trust, credentials } = topic;
  return async (signal, life) => {
    signal.throwIfAborted();
    const head = await parts.fetch(url, { method: 'HEAD', trust, signal, credentials });
    if (head.status !== 200) throw await refusal(head, clock, 'notifications');
    await head.discard();
    const channel = channelOf(head);
    const answer = await listen(parts, channel, { trust, credentials }, { signal, life });
    if (answer.status !== 200) throw await refusal(answer, clock, 'notifications');
    return answer.body;
  };
}

/** Notifications of another server are not taken for those of the pod. */
function channelOf({ url, headers }: FetchAnswer): string {
  const links = parseLinks(headers.get('link'));
  const { target = '' } = links.find(({ relations }) => relations.includes(CHANNEL)) ?? {};
  const channel = target === '' ? undefined : parsedUrl(target, url);
  if (channel?.origin !== new URL(url).origin)
    throw new NoStream(`${url} offers no notifications by streaming of its own origin`);
  return channel.href;
}

const EVENT_STREAM = 'text/event-stream';
/** A node sends a comment every minute, at least. */
const SILENCE = 150_000;

/** What is sent back as `Last-Event-ID`: any other text could not be a header. */
const SAFE_ID = /^[\x21-\x7e]{1,200}$/;

/** The stream of another node: server-sent events at its `/feed`, one for each change (design, section 12). */
export function peerStream(parts: ListeningParts, { url, trust }: Pick<Topic, 'url' | 'trust'>): OpenStream {
  const feed = `${withoutTrailingSlashes(url)}/feed`;
  let last: string | undefined;
  return async (signal, life) => {
    const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'last-event-id': last }) };
    const request = { trust, headers };
    const answer = await listen(parts, feed, request, { signal, life, silence: SILENCE });
    if (answer.status !== 200 || mediaTypeOf(answer.headers) !== EVENT_STREAM) {
      throw await refusal(answer, parts.clock, 'event stream');
    }
    return (async function* () {
      for await (const id of eventsIn(answer.body)) {
        if (SAFE_ID.test(id)) last = id;
        yield;
      }
    })();
  };
}

/** Time that the other side has to answer at all, in ms. */
const ANSWER = 30_000;
/** Bytes of hints in the life of a stream. Whoever sends more does not send hints. */
const MOST_BYTES = 4_000_000;

/** How long an answer may go on. */
interface Listening {
  readonly signal: AbortSignal;
  /** After so many ms it is ended: a connection that has died without a word would never be noticed. */
  readonly life: number;
  /** Longest pause in it, in ms, that means that it still lives. */
  readonly silence?: number;
}

/**
 * Asks for an answer that goes on for long. Rejects when there is no answer in time, or the one who waits for it gives up.
 */
async function listen(
  { fetch, clock }: ListeningParts,
  url: string,
  request: Pick<FetchRequest, 'trust' | 'headers' | 'method' | 'credentials'>,
  { signal, life, silence = life }: Listening,
): Promise<FetchAnswer> {
  const ending = new AbortController();
  /** What comes, unless nothing does for so long: then all is ended. */
  const heard = async <T>(coming: Promise<T>, longest: number): Promise<T> => {
    const come = new AbortController();
    const end = () => ending.abort(new Error(`nothing has been heard for ${longest} ms`));
    clock.sleep(longest, come.signal).then(end, () => undefined);
    return coming.finally(() => come.abort());
  };
  const over = AbortSignal.any([signal, ending.signal]);
  const bounds = { maxBytes: MOST_BYTES, timeoutMs: life, signal: over, turn: 'none' } as const;
  const answer = await heard(fetch(url, { ...request, ...bounds }), ANSWER);
  const pieces = answer.body[Symbol.asyncIterator]();
  const body = async function* () {
    try {
      for (;;) {
        const { done, value } = await heard(pieces.next(), silence);
        if (done) return;
        yield value;
      }
    } finally {
      await pieces.return?.();
    }
  };
  return { ...answer, body: body() };
}

/** The error for an answer that is no stream. */
async function refusal(answer: FetchAnswer, clock: Clock, what: string): Promise<Error> {
  await answer.discard();
  const { status, headers, url } = answer;
  const message = `${url} answers ${status} and gives no ${what}`;
  const retryAt = retryAfter(headers.get('retry-after'), clock.now());
  if (retryAt !== undefined) return new NoStream(message, retryAt);
  return status >= 500 || status === 429 ? new Error(message) : new NoStream(message);
}

/** Characters of a line, at most: an event of a node is its cursor, twice. */
const LONGEST_LINE = 4096;

/**
 * Yields the id of each event with data in a stream of server-sent events (HTML, section 9.2), and nothing of what the
 * event says: it is only ever a hint.
 * @throws Error for a line that is too long, before more of it is kept
 */
async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let [id, hasData] = ['', false];
  for await (const line of linesIn(body)) {
    if (line.startsWith('id:')) id = line.slice('id:'.length).trim();
    else if (line !== '') hasData ||= line.startsWith('data:') && line.length > 'data:'.length;
    else if (hasData) {
      hasData = false;
      yield id;
    }
  }
}

/** Lines end with CR, LF or both. A CR at the end of a piece may be the first half of both: it waits for the next piece. */
async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    if (lines.some((line) => line.length > LONGEST_LINE))
      throw new Error(`a line of the event stream has more than ${LONGEST_LINE} characters`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
