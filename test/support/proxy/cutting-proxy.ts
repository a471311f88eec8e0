import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { cleanup } from '../cleanup.js';

/**
 * What becomes of the next message with a text in it: the connection breaks before it arrives; it breaks when the answer
 * is on its way back; or the message arrives and nothing comes back any more, as from a network that has failed silently.
 */
export type Cut = 'before' | 'answer' | 'silence';

/** The message that commits, and not the one that begins with `READ COMMITTED`. */
export const COMMIT = 'COMMIT\0';

/** Stands between a client and a server, and breaks connections in the middle of what they do. Ends with the test. */
export class CuttingProxy {
  readonly #sockets = new Set<Socket>();
  #planned: { readonly text: string; readonly cut: Cut; readonly isLast: boolean } | undefined;
  #awaited: { readonly is: (bytes: Buffer) => boolean; readonly action: () => void } | undefined;
  #refusing = false;
  /** How many connections it has broken. */
  cuts = 0;

  private constructor(
    readonly port: number,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  static async to(url: string): Promise<{ proxy: CuttingProxy; url: string }> {
    const target = new URL(url);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = new CuttingProxy(port, { host: target.hostname, port: Number(target.port) });
    server.on('connection', (client) => proxy.#connected(client));
    cleanup(() => {
      for (const socket of proxy.#sockets) socket.destroy();
      server.close();
    });
    target.port = String(port);
    return { proxy, url: target.href };
  }

  /** Plans what becomes of the next message to the server that has this text in it. `isLast`: no connection is made afterwards. */
  cutNext(text: string, cut: Cut, { isLast = false } = {}): void {
    this.#planned = { text, cut, isLast };
  }

  /** Calls a function when the next message with this text in it passes on its way to the server. */
  callNext(text: string, action: () => void): void {
    this.#awaited = { is: (bytes) => bytes.includes(text), action };
  }

  /** While it is set, no connection is made, and those that there are break. */
  set refusing(isRefusing: boolean) {
    this.#refusing = isRefusing;
    if (isRefusing) for (const socket of this.#sockets) socket.destroy();
  }

  #connected(client: Socket): void {
    if (this.#refusing) return void client.destroy();
    const server = connect(this.target);
    let cut: Cut | undefined;
    let isLast = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => {
      const awaited = this.#awaited;
      if (awaited?.is(bytes)) {
        this.#awaited = undefined;
        awaited.action();
      }
      const planned = this.#planned;
      if (planned && bytes.includes(planned.text)) {
        this.#planned = undefined;
        this.cuts += 1;
        cut = planned.cut;
        isLast = planned.isLast;
        if (cut === 'before') return end();
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (cut === 'answer') {
        if (isLast) this.refusing = true;
        end();
      } else if (cut === undefined) client.write(bytes);
    });
  }
}
