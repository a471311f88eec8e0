import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { FetchHandler, Listen } from '../../../src/lib/http/server/server.js';
import type { VirtualServer, WireRequest } from '../network/wire.js';
import type { Life } from '../time/life.js';
import { VirtualOutgoing } from './virtual-outgoing.js';

/** Listens on a virtual network: `open` is told of what answers, `close` when nothing answers any more. */
export function listenVirtually(parts: {
  readonly life: Life;
  readonly open: (server: VirtualServer) => void;
  readonly close: () => void;
}): Listen {
  return async (handler) => {
    parts.open(serverOf(handler, parts.life));
    return { port: 443, stopAccepting: parts.close, close: async () => parts.close() };
  };
}

/**
 * The application of a node as a server: behind the same adaptor as in production, with a virtual wire for the socket. Rejects
 * when the process ends before it has answered.
 */
function serverOf(handler: FetchHandler, life: Life): VirtualServer {
  const listener = getRequestListener((request, bindings) => handler(request, bindings));
  return {
    answer(request) {
      return new Promise((resolve, reject) => {
        const incoming = incomingOf(request);
        const outgoing = new VirtualOutgoing(incoming, resolve);
        const left = life.atEnd(() => {
          outgoing.destroy();
          reject(new Error('the process has ended'));
        });
        outgoing.on('finish', left);
        outgoing.on('close', left);
        life.run(() => void listener(incoming, outgoing));
      });
    },
  };
}

/** Tells that requests come by https; nothing is sent over it. */
const SOCKET = Object.assign(new Socket(), { encrypted: true });

/** A request as `node:http` gives it to a listener. */
function incomingOf({ origin, target, method, headers, body }: WireRequest): IncomingMessage {
  const incoming = new IncomingMessage(SOCKET);
  // Bodies are not compressed, because that is done in other threads, which end in any order.
  const { 'accept-encoding': _, ...sent } = headers;
  const all: Record<string, string> = { ...sent, host: origin.slice(origin.indexOf('//') + 2) };
  const { rawHeaders } = incoming;
  for (const name in all) rawHeaders.push(name, all[name] ?? '');
  if (body !== null) incoming.push(body);
  incoming.push(null);
  return Object.assign(incoming, { method, url: target, headers: all, complete: true });
}
