import { parsedUrl } from '../../lib/can-parse-url.js';
import type { Clock } from '../../lib/clock.js';
import { linesIn, untilSilent } from '../../lib/fetch/event-stream.js';
import type { FetchAnswer } from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/http/headers/http-date.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Access } from '../request.js';
import { NoStream, type OpenStream } from '../source-reader.js';

/** What is listened to, and how. `url`: of a node, or of a container or document of a pod. */
export interface StreamTarget extends Access {
  readonly url: string;
}

/** Bytes of hints in the life of a stream: whoever sends more does not send hints. */
const BOUNDS = { maxBytes: 4_000_000, isCounted: false } as const;

/** Leads from a resource to the notifications about it (Solid Notifications Protocol). */
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';

/** The notifications of a pod about one resource. Each piece is a hint; what it says is not read. */
export function podStream(parts: StreamTarget): OpenStream {
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

/** Server-sent events at the `/feed` of another node. Each line of data is a hint. */
export function peerStream({ fetch, clock, url, trust }: StreamTarget): OpenStream {
  const feed = `${withoutTrailingSlashes(url)}/feed`;
  let last: string | undefined;
  /** Yields once with the first line, whatever that says, and then for each hint. */
  async function* hints(stop: AbortSignal, timeoutMs: number): AsyncGenerator<undefined> {
    const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'last-event-id': last }) };
    const { signal, heard, end } = untilSilent(clock, stop);
    try {
      const answer = await fetch(feed, { ...BOUNDS, timeoutMs, trust, headers, signal });
      const type = mediaTypeOf(answer.headers);
      if (answer.status !== 200 || type !== EVENT_STREAM) throw await refusal(answer, clock, 'event stream');
      heard();
      let isOpen = false;
      for await (const line of linesIn(answer.body, heard)) {
        if (!isOpen) yield undefined;
        isOpen = true;
        const id = line.startsWith('id:') ? line.slice('id:'.length).trim() : '';
        if (SAFE_ID.test(id)) last = id;
        if (/^data:./.test(line)) yield undefined;
      }
    } finally {
      end();
    }
  }
  return async (stop, life) => {
    const stream = hints(stop, life);
    // A proxy that holds back all that it is sent has answered, too: it would be taken for a stream, again and again.
    await stream.next();
    return stream;
  };
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
