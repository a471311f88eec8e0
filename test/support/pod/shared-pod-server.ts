import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PodServer } from './pod-server.js';

/** A pod for each test file that shares the server. A file that stops the server starts one of its own. */
const SHARED_PODS = [
  ...([
    'explorer',
    'host',
    'network',
    'notebook',
    'pages',
    'publish',
    'publishing',
    'push',
    'reading',
    'simulated',
  ] as const),
] as const;
export type SharedPodName = (typeof SHARED_PODS)[number];

/**
 * The pod server that test files share, each with a pod of its own: starting one takes seconds of a core. It lives
 * in the process of the test runner, starts when a file asks for it first, and is asked by HTTP: `POST /start` gives
 * its URL, `POST /take/<pod>` the exchanges about a pod since the last time.
 */
export class SharedPodServer {
  #started: Promise<PodServer> | undefined;
  #directory: string | undefined;
  readonly #control = createServer((request, response) => {
    this.#answer(request.url ?? '').then(
      (body) => response.end(JSON.stringify(body)),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });

  /** Gives the address to be asked at. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#control.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#control.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#control.close();
    this.#control.closeAllConnections();
    await (await this.#started)?.kill();
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async #answer(path: string): Promise<unknown> {
    this.#started ??= this.#start();
    const server = await this.#started;
    const [, pod] = /^\/take\/(\w+)$/.exec(path) ?? [];
    return pod === undefined ? { url: server.url } : server.proxy.take(`/${pod}/`);
  }

  async #start(): Promise<PodServer> {
    this.#directory = await mkdtemp(join(tmpdir(), 'registry-pods-'));
    const server = new PodServer(this.#directory);
    await server.start(SHARED_PODS);
    return server;
  }
}
