import type { FetchHandler, Listen, ListenOptions } from '../../../src/lib/http/server/server.js';
import { NO_BODY, type VirtualServer, type WireAnswer, type WireRequest } from '../network/wire.js';

/** Listens on a virtual network: `open` is told of what answers, `close` when nothing answers any more. */
export function listenVirtually(parts: {
  readonly open: (server: VirtualServer) => void;
  readonly close: () => void;
}): Listen {
  return async (handler, options) => {
    parts.open(serverOf(handler, options));
    return { port: 443, stopAccepting: parts.close, close: async () => parts.close() };
  };
}

/** The application of a node as a server: a request of the network becomes one of the Fetch standard, as in production. */
function serverOf(handler: FetchHandler, { onUserAgent }: Pick<ListenOptions, 'onUserAgent'>): VirtualServer {
  return {
    async answer(request) {
      const userAgent = request.headers['user-agent'];
      if (userAgent !== undefined) onUserAgent(userAgent);
      return answerOf(await handler(requestOf(request)));
    },
  };
}

function requestOf({ origin, target, method, headers, body }: WireRequest): Request {
  // Bodies are not compressed, because that is done in other threads, which end in any order.
  const { 'accept-encoding': _, ...sent } = headers;
  return new Request(origin + target, { method, headers: sent, ...(body === null ? {} : { body }) });
}

async function answerOf(response: Response): Promise<WireAnswer> {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (!body) return { status, headers, body: NO_BODY };
  if (headers['content-type'] === 'text/event-stream') return { status, headers, body: line(body) };
  return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/** Unlike the iterator of a stream, this one can be ended while it waits for the next piece. */
function line(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = body.getReader();
  const end = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await reader.read();
        return done || !value ? end : { done: false, value };
      },
      return: async () => {
        await reader.cancel();
        return end;
      },
    }),
  };
}
