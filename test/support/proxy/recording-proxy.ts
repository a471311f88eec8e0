import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { heldPort } from '../held-port.js';

/** One request that went through, and what came back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly authenticated: boolean;
  readonly status: number;
  /** Bytes of the answer's body. */
  bytes: number;
}

/**
 * Stands before a server on loopback and writes down every exchange. It keeps its address while the server
 * behind it goes and comes back, and refuses connections meanwhile, as a machine that is down does.
 */
export class RecordingProxy {
  readonly exchanges: Exchange[] = [];
  #port = 0;
  #server: Server | undefined;
  #target = 0;

  /**
   * Without a trailing slash; known after the first `open`. By name, because Solid-OIDC takes an http WebID
   * from `localhost` and from no address.
   */
  get url(): string {
    return `http://localhost:${this.#port}`;
  }

  async open(): Promise<void> {
    this.#port ||= await heldPort();
    const server = createServer((incoming, answer) => this.#pass(incoming, answer));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  /** Names the port that requests go to from now on. */
  forwardTo(port: number): void {
    this.#target = port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** The exchanges since the last call, or of those the ones whose path begins like this. */
  take(prefix = ''): Exchange[] {
    const all = this.exchanges.splice(0);
    this.exchanges.push(...all.filter(({ path }) => !path.startsWith(prefix)));
    return all.filter(({ path }) => path.startsWith(prefix));
  }

  // Host and path pass as they are: a pod server knows its resources by the URL that the client used.
  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: this.#target, method, path, headers });
    onward.on('error', () => answer.destroy());
    onward.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const authenticated = headers.authorization !== undefined;
      const exchange: Exchange = { method, path, authenticated, status, bytes: 0 };
      this.exchanges.push(exchange);
      response.on('data', (chunk: Buffer) => {
        exchange.bytes += chunk.length;
      });
      response.on('error', () => answer.destroy());
      answer.writeHead(status, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  }
}
