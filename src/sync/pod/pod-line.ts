import { canParseUrl } from '../../lib/can-parse-url.js';
import type { FetchAnswer, FetchRequest } from '../../lib/fetch/guarded-fetch.js';
import type { Trust } from '../../lib/fetch/hop.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { NoLine, type OpenLine } from '../push/line.js';
import { type ListeningParts, listen, refusal } from '../push/listening.js';
import type { Credentials, PodAccess } from './pod-request.js';

/** Leads from a resource to the notifications about it (Solid Notifications Protocol, StreamingHTTPChannel2023). */
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';

export interface Topic {
  /** Of a container or a document. */
  readonly url: string;
  readonly trust: Trust;
  readonly credentials?: Credentials | undefined;
}

type Ask = (authorize: Pick<FetchRequest, 'authorize'>) => Promise<FetchAnswer>;

/**
 * The notifications of a pod about one resource. A container's tell of members that come and go; edits are told by those
 * of the document. What they say is not read: each piece that comes is a hint.
 */
export function podLine(parts: ListeningParts & Pick<PodAccess, 'requests'>, topic: Topic): OpenLine {
  const { clock, requests } = parts;
  const { url, trust } = topic;
  return async (signal, life) => {
    const ask: Ask = (authorize) => parts.fetch(url, { method: 'HEAD', trust, signal, ...authorize });
    const inTurn = async () => {
      signal.throwIfAborted();
      return authorized(topic, ask);
    };
    const head = await unlessAborted(requests.run(url, inTurn, trust), signal);
    if (head.status !== 200) throw await refusal(head, clock, 'notifications');
    await head.discard();
    const channel = channelOf(head);
    const answer = await authorized(topic, async (authorize) => {
      const listening = await listen(parts, channel, { trust, ...authorize }, { signal, life });
      return listening.answer;
    });
    if (answer.status !== 200) throw await refusal(answer, clock, 'notifications');
    return answer.body;
  };
}

/** The promise, unless the signal is aborted first: who gives up need not wait for the host's turn. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** With the credentials of the topic, once more when they are refused the first time: a token may have run out. */
async function authorized({ credentials }: Topic, ask: Ask): Promise<FetchAnswer> {
  if (!credentials) return ask({});
  const authorize = credentials.authorize.bind(credentials);
  const answer = await ask({ authorize });
  if (answer.status !== 401) return answer;
  await answer.discard();
  credentials.invalidate(answer);
  return ask({ authorize });
}

/** Notifications of another server are not taken for those of the pod. */
function channelOf({ url, headers }: FetchAnswer): string {
  const links = parseLinks(headers.get('link'));
  const { target } = links.find(({ relations }) => relations.includes(CHANNEL)) ?? {};
  if (target === undefined || !canParseUrl(target, url)) {
    throw new NoLine(`${url} offers no notifications by streaming`);
  }
  const channel = new URL(target, url);
  if (channel.origin !== new URL(url).origin) {
    throw new NoLine(`${url} offers notifications of another origin`);
  }
  return channel.href;
}
