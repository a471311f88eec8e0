import { randomBytes } from 'node:crypto';
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

/**
 * A pod server and a PostgreSQL server, which take seconds of a core to start: all files of all projects share them, in
 * the process of the test runner. Each starts when a file asks for it first, over HTTP.
 */
class SharedServers {
  #users = 0;
  readonly #started = new Map<string, Promise<Giver>>();
  readonly #control = createServer(({ url = '' }, response) => {
    this.#give(url).then(
      (given) => response.end(given),
      (error: Error) => response.writeHead(500).end(error.stack),
    );
  });

  /** Gives the address to be asked at. */
  async open(): Promise<string> {
    this.#users += 1;
    if (!this.#control.listening)
      await new Promise<void>((resolve) => this.#control.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#control.address() as AddressInfo).port}`;
  }

  /** Ends all when nobody uses them any more. */
  async close(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#control.close();
    this.#control.closeAllConnections();
    // What could not be started has been told to whoever asked for it.
    const ends = [...this.#started.values()].map((giver) =>
      giver.then(
        (started) => started.end(),
        () => undefined,
      ),
    );
    this.#started.clear();
    const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #give(path: string): Promise<string> {
    const start = STARTS[path];
    if (!start) throw new Error(`nothing is shared at ${path}`);
    const giver = this.#started.get(path) ?? start();
    this.#started.set(path, giver);
    return (await giver).give();
  }
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

declare global {
  /** Projects load this module each for themselves, in one process. */
  var sharedServers: SharedServers | undefined;
}

/** Before the tests of a project. Gives what ends the servers that it may have used. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.sharedServers ??= new SharedServers();
  const servers = globalThis.sharedServers;
  project.provide('sharedServers', await servers.open());
  return () => servers.close();
}
