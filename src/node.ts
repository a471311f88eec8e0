import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { type Config, listeningOn } from './config.js';

/** A placeholder of the composition root, with the shape that main.ts relies on. */
export interface Node {
  /** Resolves once it answers requests; rejects, with nothing left running, when it cannot. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

export function createNode(config: Config): Node {
  const app = new Hono().get('/health', (c) => c.json({ status: 'ok' }));
  let server: ReturnType<typeof serve> | undefined;
  return {
    start: () =>
      new Promise((resolve, reject) => {
        const { host: hostname, port } = config.listen;
        server = serve({ fetch: app.fetch, hostname, port }, (address: AddressInfo) =>
          resolve({ url: listeningOn(config, address.port).baseUrl }),
        );
        server.on('error', reject);
      }),
    stop: () => new Promise((resolve) => (server ? server.close(() => resolve()) : resolve())),
  };
}
