import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cleanup } from '../cleanup.js';

/**
 * What becomes of the next message with a text in it: the connection breaks before it arrives; or when the answer
 * is on its way back.
 */
export type Cut = 'before' | 'answer';

/** The message that commits, and not the one that begins with `READ COMMITTED`. */
export const COMMIT = 'COMMIT\0';

/** Stands before a server on loopback: counts what goes over the wire, and breaks connections in the middle of what they do. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#pass(near));
  #target = { host: '127.0.0.1', port: 0 };
  #planned: { readonly text: string; readonly cut: Cut; readonly isLast: boolean } | undefined;
  #awaited: { readonly text: string; readonly action: () => void } | undefined;
  #refusing = false;
  /** While it is set, connections are made, and nothing passes. */
  silent = false;
  /** Bytes to and from the server, headers included. */
  sent = 0;
  received = 0;
  /** How many connections it has broken. */
  cuts = 0;

  async open(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  forwardTo(url: string): void {
    const { hostname: host, port } = new URL(url);
    this.#target = { host, port: Number(port) };
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#breakAll();
    await closed;
  }

  /** Plans what becomes of the next message to the server that has this text in it. `isLast`: no connection is made afterwards. */
  cutNext(text: string, cut: Cut, { isLast = false } = {}): void {
    this.#planned = { text, cut, isLast };
  }

  /** Calls a function when the next message with this text in it passes on its way to the server. */
  callNext(text: string, action: () => void): void {
    this.#awaited = { text, action };
  }

  /** While it is set, no connection is made, and those that there are break. */
  set refusing(isRefusing: boolean) {
    this.#refusing = isRefusing;
    if (isRefusing) this.#breakAll();
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(near: Socket): void {
    if (this.#refusing) return void near.destroy();
    const far = connect(this.#target);
    let plan: { readonly cut: Cut; readonly isLast: boolean } | undefined;
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
      const [awaited, planned] = [this.#awaited, this.#planned];
      if (awaited && bytes.includes(awaited.text)) {
        this.#awaited = undefined;
        awaited.action();
      }
      if (planned && bytes.includes(planned.text)) {
        this.#planned = undefined;
        this.cuts += 1;
        plan = planned;
        if (plan.cut === 'before') return end();
      }
      if (!this.silent) far.write(bytes);
    });
    far.on('data', (bytes) => {
      this.received += bytes.length;
      if (this.silent) return;
      if (!plan) return void near.write(bytes);
      if (plan.isLast) this.refusing = true;
      end();
    });
  }
}

/** A proxy before the server of a URL, with the URL that leads through it. It is closed with the test, or the tests of the file. */
export async function tcpProxy(to: string): Promise<{ proxy: TcpProxy; url: string }> {
  const proxy = await new TcpProxy().open();
  cleanup(() => proxy.close());
  proxy.forwardTo(to);
  return { proxy, url: Object.assign(new URL(to), { port: String(proxy.port) }).href };
}
