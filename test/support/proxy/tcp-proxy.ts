import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cleanup } from '../cleanup.js';

/**
 * What becomes of the next message with a text in it: the connection breaks before it arrives; or when the answer is on its way
 * back; or that, and no connection is made afterwards.
 */
export type Cut = 'before' | 'answer' | 'for good';

/** The message that commits, and not the one that begins with `READ COMMITTED`. */
export const COMMIT = 'COMMIT\0';

/** Stands before a server on loopback: counts what goes over the wire, and breaks connections in the middle of what they do. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  #planned: { readonly text: string; readonly cut: Cut } | undefined;
  #refusing = false;
  /** While it is set, connections are made, and nothing passes. */
  silent = false;
  /** Bytes to and from the server, headers included. */
  sent = 0;
  received = 0;
  /** How many connections it has broken. */
  cuts = 0;

  constructor(private readonly port: number) {}

  /** Plans what becomes of the next message to the server that has this text in it. */
  cutNext(text: string, cut: Cut): void {
    this.#planned = { text, cut };
  }

  /** While it is set, no connection is made, and those that there are break. */
  set refusing(isRefusing: boolean) {
    this.#refusing = isRefusing;
    if (isRefusing) for (const socket of this.#sockets) socket.destroy();
  }

  pass(near: Socket): void {
    if (this.#refusing) return void near.destroy();
    const far = connect(this.port, '127.0.0.1');
    let cut: Cut | undefined;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    near.on('data', (bytes) => {
      this.sent += bytes.length;
      if (this.#planned && bytes.includes(this.#planned.text)) {
        cut = this.#planned.cut;
        this.#planned = undefined;
        this.cuts += 1;
        if (cut === 'before') return end();
      }
      if (!this.silent) far.write(bytes);
    });
    far.on('data', (bytes) => {
      this.received += bytes.length;
      if (this.silent) return;
      if (!cut) return void near.write(bytes);
      if (cut === 'for good') this.refusing = true;
      end();
    });
  }
}

/** A proxy before the server of a URL, with the URL that leads through it. It is closed with the test, or the tests of the file. */
export async function tcpProxy(to: string): Promise<{ proxy: TcpProxy; url: string }> {
  const proxy = new TcpProxy(Number(new URL(to).port));
  const server = createServer((near) => proxy.pass(near));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup(() => {
    server.close();
    proxy.refusing = true;
  });
  const { port } = server.address() as AddressInfo;
  return { proxy, url: Object.assign(new URL(to), { port: String(port) }).href };
}
