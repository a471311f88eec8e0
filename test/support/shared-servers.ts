import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { makeCredentials } from './pod/pod.js';
import { type PodServer, startPodServer } from './pod/pod-server.js';
import { PostgresServer } from './postgres-server.js';

/** What gives the URL of something, and ends it in the end. */
interface Giver {
  give(): Promise<string>;
  end(): Promise<unknown>;
}

const STARTS: Readonly<Record<string, () => Promise<Giver>>> = {
  async '/pod'() {
    const directory = await mkdtemp(join(tmpdir(), 'registry-pods-'));
    let server: PodServer | undefined;
    const end = async () => {
      await server?.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    };
    try {
      server = await startPodServer(directory);
      const credentials = JSON.stringify(await makeCredentials(server.url));
      return { give: async () => credentials, end };
    } catch (error) {
      await end();
      throw error;
    }
  },
  async '/database'() {
    const { CONTRACT_URL } = process.env;
    if (CONTRACT_URL !== undefined) return databasesAt(CONTRACT_URL);
    const server = await PostgresServer.start();
    return { give: () => server.createDatabase(), end: () => server.remove() };
  },
};

/** Databases on a server that somebody else runs (`npm run contract`). */
async function databasesAt(url: string): Promise<Giver> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names: string[] = [];
  return {
    async give() {
      const name = `contract_${randomBytes(6).toString('hex')}`;
      await client.query(`CREATE DATABASE ${name}`);
      names.push(name);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    async end() {
      for (const name of names) await client.query(`DROP DATABASE ${name}`);
      await client.end();
    },
  };
}

/**
 * Before the tests. A pod server and a PostgreSQL server, which take seconds of a core to start: all files share them, in
 * the process of the test runner. Each starts when a file asks for it first, over HTTP. Gives what ends them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Giver>>();
  const control = createServer(({ url = '' }, response) => {
    const giver =
      started.get(url) ?? STARTS[url]?.() ?? Promise.reject(new Error(`nothing is shared at ${url}`));
    started.set(url, giver);
    giver
      .then((one) => one.give())
      .then(
        (given) => response.end(given),
        (error: Error) => response.writeHead(500).end(error.stack),
      );
  });
  await once(control.listen(0, '127.0.0.1'), 'listening');
  project.provide('sharedServers', `http://127.0.0.1:${(control.address() as AddressInfo).port}`);
  return async () => {
    control.close();
    control.closeAllConnections();
    // What could not be started has been told to whoever asked for it.
    const givers = (await Promise.allSettled(started.values())).flatMap((one) =>
      'value' in one ? [one.value] : [],
    );
    await Promise.all(givers.map((giver) => giver.end()));
  };
}
