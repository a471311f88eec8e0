import { parsedUrl } from '../../lib/can-parse-url.js';
import type { Clock } from '../../lib/clock.js';
import type { FetchAnswer } from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/http/headers/http-date.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Access } from '../request.js';
import { NoStream, type OpenStream } from '../source-reader.js';

/** What is listened to, and how. `url`: of a node, or of a container or document of a pod. */
export interface Listening extends Access {
  readonly url: string;
}

/** Bytes of hints in the life of a stream: whoever sends more does not send hints. */
const BOUNDS = { maxBytes: 4_000_000, isCounted: false } as const;

/** Leads from a resource to the notifications about it (Solid Notifications Protocol). */
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';

/** The notifications of a pod about one resource. Each piece is a hint; what it says is not read. */
export function podStream(parts: Listening): OpenStream {
  const { clock, url, trust, credentials } = parts;
  const access = { trust, credentials };
  return async (stop, timeoutMs) => {
    stop.throwIfAborted();
    const head = await parts.fetch(url, { ...access, method: 'HEAD', signal: stop });
    if (head.status !== 200) throw await refusal(head, clock, 'notifications');
    await head.discard();
    const { signal, end } = untilSilent(clock, stop);
    const asked = { ...access, ...BOUNDS, timeoutMs, signal };
    const answer = await parts.fetch(channelOf(head), asked).finally(end);
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

/** What is sent back as `Last-Event-ID`: any other text could not be a header. */
const SAFE_ID = /^[\x21-\x7e]{1,200}$/;

/** Server-sent events at the `/feed` of another node (HTML, section 9.2). Each line of data is a hint. */
export function peerStream(parts: Listening): OpenStream {
  const { clock, url, trust } = parts;
  const feed = `${withoutTrailingSlashes(url)}/feed`;
  let last: string | undefined;
  return async (stop, timeoutMs) => {
    const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'last-event-id': last }) };
    const { signal, heard, end } = untilSilent(clock, stop);
    try {
      const answer = await parts.fetch(feed, { ...BOUNDS, timeoutMs, trust, headers, signal });
      const type = mediaTypeOf(answer.headers);
      if (answer.status !== 200 || type !== EVENT_STREAM) throw await refusal(answer, clock, 'event stream');
      heard();
      const lines = linesIn(answer.body, heard);
      // A proxy that holds back all that it is sent has answered, too: it would be taken for a stream, again and again.
      return hintsIn(await lines.next(), lines);
    } catch (error) {
      end();
      throw error;
    }

    async function* hintsIn(
      first: IteratorResult<string, undefined>,
      lines: AsyncGenerator<string, undefined>,
    ): AsyncGenerator<undefined> {
      try {
        for (let next = first; !next.done; next = await lines.next()) {
          const line = next.value;
          const id = line.startsWith('id:') ? line.slice('id:'.length).trim() : '';
          if (SAFE_ID.test(id)) last = id;
          if (/^data:./.test(line)) yield undefined;
        }
      } finally {
        end();
        await lines.return(undefined);
      }
    }
  };
}

/** How long a first answer may take, in ms. */
const ANSWER = 30_000;
/** How long a node may say nothing from then on: it sends a comment every minute, at least. */
const SILENCE = 150_000;

/** A signal that is aborted with another, or when nothing was `heard` for too long; until the `end`. */
function untilSilent(clock: Clock, stop: AbortSignal) {
  const silent = new AbortController();
  let waiting = new AbortController();
  const wait = (ms: number) => {
    waiting.abort();
    waiting = new AbortController();
    const isSilent = () => silent.abort(new Error(`nothing has been heard for ${ms} ms`));
    clock.sleep(ms, waiting.signal).then(isSilent, () => undefined);
  };
  wait(ANSWER);
  const heard = () => wait(SILENCE);
  return { signal: AbortSignal.any([stop, silent.signal]), heard, end: () => waiting.abort() };
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
 * Lines end with CR, LF or both. A CR at the end of a piece may be half of both: it waits for the next piece.
 * @param heard called for each piece @throws Error for a line that is too long, before more of it is kept
 */
async function* linesIn(
  body: AsyncIterable<Uint8Array>,
  heard: () => void,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    heard();
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    if (lines.some((line) => line.length > LONGEST_LINE))
      throw new Error(`a line of the event stream has more than ${LONGEST_LINE} characters`);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  return undefined;
}
