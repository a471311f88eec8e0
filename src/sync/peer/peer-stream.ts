import type { Trust } from '../../lib/fetch/hop.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { eventsIn } from '../push/event-stream.js';
import { type ListeningParts, listen, refusal } from '../push/listening.js';
import type { OpenStream } from '../push/stream.js';
import { type AskedPart, addressWith, type Parameters } from './asked-part.js';

const EVENT_STREAM = 'text/event-stream';
/** A node sends a comment every minute, at least. */
const SILENCE = 150_000;

/** The stream of another node: server-sent events at its `/feed`, one for each change (design, section 12). */
export function peerStream(
  parts: ListeningParts,
  peer: { readonly url: string; readonly trust: Trust; readonly part: () => AskedPart },
): OpenStream {
  const feed = `${withoutTrailingSlashes(peer.url)}/feed`;
  return async (signal, life) => {
    const request = { trust: peer.trust, headers: { accept: EVENT_STREAM } };
    const ask = async (parameters: Parameters) => {
      const listening = await listen(parts, addressWith(feed, parameters), request, {
        signal,
        life,
        silence: SILENCE,
      });
      if (listening.answer.status === 400) await listening.answer.discard();
      return listening;
    };
    const { answer, watch } = await peer.part().ask(ask, ({ answer: { status } }) => status === 400);
    const { type } = parseMediaType(answer.headers.get('content-type') ?? '') ?? {};
    if (answer.status !== 200 || type !== EVENT_STREAM) {
      throw await refusal(answer, parts.clock, 'event stream');
    }
    return eventsIn(answer.body, () => watch.heard());
  };
}
