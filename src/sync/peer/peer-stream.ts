import type { Trust } from '../../lib/fetch/hop.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { eventsIn } from '../push/event-stream.js';
import { type ListeningParts, listen, refusal } from '../push/listening.js';
import type { OpenStream } from '../push/stream.js';

const EVENT_STREAM = 'text/event-stream';
/** A node sends a comment every minute, at least. */
const SILENCE = 150_000;

/** The stream of another node: server-sent events at its `/feed`, one for each change (design, section 12). */
export function peerStream(
  parts: ListeningParts,
  peer: { readonly url: string; readonly trust: Trust },
): OpenStream {
  const feed = `${withoutTrailingSlashes(peer.url)}/feed`;
  return async (signal, life) => {
    const request = { trust: peer.trust, headers: { accept: EVENT_STREAM } };
    const { answer, watch } = await listen(parts, feed, request, { signal, life, silence: SILENCE });
    const { type } = parseMediaType(answer.headers.get('content-type') ?? '') ?? {};
    if (answer.status !== 200 || type !== EVENT_STREAM) {
      throw await refusal(answer, parts.clock, 'event stream');
    }
    return eventsIn(answer.body, () => watch.heard());
  };
}
