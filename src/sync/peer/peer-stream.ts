import type { Trust } from '../../lib/fetch/hop.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { eventsIn } from '../push/event-stream.js';
import { type ListeningParts, listen, refusal } from '../push/listening.js';
import type { OpenStream } from '../source-reader.js';

const EVENT_STREAM = 'text/event-stream';
/** A node sends a comment every minute, at least. */
const SILENCE = 150_000;

/** What is sent back as `Last-Event-ID`: any other text could not be a header. */
const SAFE_ID = /^[\x21-\x7e]{1,200}$/;

/** The stream of another node: server-sent events at its `/feed`, one for each change (design, section 12). */
export function peerStream(
  parts: ListeningParts,
  peer: { readonly url: string; readonly trust: Trust },
): OpenStream {
  const feed = `${withoutTrailingSlashes(peer.url)}/feed`;
  let last: string | undefined;
  return async (signal, life) => {
    const headers = { accept: EVENT_STREAM, ...(last !== undefined && { 'last-event-id': last }) };
    const request = { trust: peer.trust, headers };
    const answer = await listen(parts, feed, request, { signal, life, silence: SILENCE });
    const { type } = parseMediaType(answer.headers.get('content-type') ?? '') ?? {};
    if (answer.status !== 200 || type !== EVENT_STREAM) {
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
