import { canParseUrl } from '../../lib/can-parse-url.js';
import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { FetchAnswer, GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { Trust } from '../../lib/fetch/hop.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { type ListeningParts, listen, refusal } from '../push/listening.js';
import { NoStream } from '../push/stream.js';
import type { OpenStream } from '../source-reader.js';

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
    const head = await authorizedFetch(parts.fetch, url, { method: 'HEAD', trust, signal }, credentials);
    if (head.status !== 200) throw await refusal(head, clock, 'notifications');
    await head.discard();
    const channel = channelOf(head);
    const listening: GuardedFetch = (where, request) => listen(parts, where, request, { signal, life });
    const answer = await authorizedFetch(listening, channel, { trust }, credentials);
    if (answer.status !== 200) throw await refusal(answer, clock, 'notifications');
    return answer.body;
  };
}

/** Notifications of another server are not taken for those of the pod. */
function channelOf({ url, headers }: FetchAnswer): string {
  const links = parseLinks(headers.get('link'));
  const { target } = links.find(({ relations }) => relations.includes(CHANNEL)) ?? {};
  if (target === undefined || !canParseUrl(target, url)) {
    throw new NoStream(`${url} offers no notifications by streaming`);
  }
  const channel = new URL(target, url);
  if (channel.origin !== new URL(url).origin) {
    throw new NoStream(`${url} offers notifications of another origin`);
  }
  return channel.href;
}
