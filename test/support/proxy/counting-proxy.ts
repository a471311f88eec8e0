import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { cleanup } from '../cleanup.js';

/** Stands before a server on loopback, and counts what goes over the wire. */
export class CountingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#pass(socket));
  #target = 0;
  /** Bytes to and from the server, headers included. */
  sent = 0;
  received = 0;

  async open(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  forwardTo(url: string): void {
    this.#target = Number(new URL(url).port);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
    }
    near.on('data', (bytes) => {
      this.sent += bytes.length;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      this.received += bytes.length;
      near.write(bytes);
    });
  }
}

/** A proxy that is closed with the tests of this file. */
export async function countingProxy(): Promise<CountingProxy> {
  const proxy = new CountingProxy();
  await proxy.open();
  cleanup(() => proxy.close());
  return proxy;
}
