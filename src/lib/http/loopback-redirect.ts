import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine that a browser is sent back to after a sign-in (RFC 8252, section 7.3). */
export interface LoopbackRedirect {
  /** Where browsers are to be sent. */
  readonly url: string;
  /** The address that a browser has come with. Rejects when the signal is aborted. */
  arrived(signal: AbortSignal): Promise<URL>;
  close(): void;
}

/** Listens on a port that the system picks, only for this machine. */
export async function listenForRedirect(): Promise<LoopbackRedirect> {
  let arrive: (url: URL) => void = () => undefined;
  const arrival = new Promise<URL>((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isAnswer =
      request.method === 'GET' && (url.searchParams.has('code') || url.searchParams.has('error'));
    response.writeHead(isAnswer ? 200 : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(
      isAnswer ? 'Signed in. You can close this page and go back to the terminal.\n' : 'Nothing is here.\n',
    );
    if (isAnswer) arrive(url);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived(signal) {
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        arrival.then(resolve, reject);
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
