import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/**
 * A port of 127.0.0.1 for a server that must know its address before it listens, or keep it over restarts. Give a
 * server that needs neither port 0 instead.
 *
 * The port is held until this process ends: as the local end of a connection, which the system gives to nobody
 * else who asks for a free port. A server may listen there all the same, because Node sets SO_REUSEADDR (libuv does
 * so for every socket that it binds); while none does, connections are refused as on a machine that is down.
 */
export async function heldPort(): Promise<number> {
  partner ??= listening();
  const { port } = (await partner).address() as AddressInfo;
  // Naming the local port, if only as 0, makes Node bind it: a port that connecting alone picks is not reusable.
  const holder = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1', localPort: 0 }).unref();
  await once(holder, 'connect');
  if (holder.localPort === undefined) throw new Error('a connection without a local port');
  return holder.localPort;
}

/** The other end of all holding connections. */
let partner: Promise<Server> | undefined;

async function listening(): Promise<Server> {
  const server = createServer((socket) => socket.unref())
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  return server;
}
