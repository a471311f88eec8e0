import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before a node and answers 404 for its feed: so another node reads it by its listing. */
export class WithoutFeed {
  readonly #server: Server;

  private constructor(port: number) {
    this.#server = createServer((asked, answer) => {
      const { method = 'GET', url = '/', headers } = asked;
      if (url.startsWith('/feed')) {
        answer.writeHead(404).end();
        return;
      }
      const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    });
  }

  /** Before a server on this machine. */
  static async of(port: number): Promise<WithoutFeed> {
    const without = new WithoutFeed(port);
    await once(without.#server.listen(0, '127.0.0.1'), 'listening');
    return without;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
