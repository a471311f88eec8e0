import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../clock.js';

/** How often idle connections are closed while the server stops, in ms. */
const SWEEP_MS = 25;

/** A `createServer` that puts another listener in front of the one that it is given; `more` are options of `node:http`. */
export function behind(
  front: (listener: RequestListener) => RequestListener,
  more: ServerOptions = {},
): typeof createServer {
  const create = (options: ServerOptions, listener: RequestListener) =>
    // `checkRequests` refuses requests without `Host`, with a problem document.
    createServer({ ...options, ...more, requireHostHeader: false }, front(listener));
  return create as typeof createServer;
}

/** Listens, and says on which port. @throws what the system says: EADDRINUSE, EACCES … */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Stops accepting, lets requests in flight finish, and closes what is left when `graceMs` have passed.
 * Resolves when every connection is closed.
 */
export async function closeServer(server: Server, clock: Clock, graceMs: number): Promise<void> {
  const closed = new Promise<true>((resolve) => {
    server.close(() => resolve(true));
  });
  for (let waited = 0; waited < graceMs; waited += SWEEP_MS) {
    // An idle keep-alive connection would keep the server open for seconds.
    server.closeIdleConnections();
    if (await Promise.race([closed, clock.sleep(SWEEP_MS)])) return;
  }
  server.closeAllConnections();
  await closed;
}
