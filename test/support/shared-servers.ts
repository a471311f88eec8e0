import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Unwinding } from '../../src/node/unwinding.js';
import { makeCredentials } from './pod/pod.js';
import { startPodServer } from './pod/pod-server.js';
import { PostgresServer, sql } from './postgres-server.js';
import { prepareProgram } from './prepare-program.js';

/** Gives one test file its share: credentials, or the URL of a database that nobody else has. */
type Give = () => string | Promise<string>;

/** How each is made, and what is to be done about it when all tests are over. */
const STARTS: Readonly<Record<string, (ends: Unwinding) => Promise<Give>>> = {
  async '/program'() {
    await prepareProgram();
    return () => '';
  },
  async '/pod'(ends) {
    const directory = await mkdtemp(join(tmpdir(), 'registry-pods-'));
    await ends.defer('the data of the pod', () =>
      rm(directory, { recursive: true, force: true, maxRetries: 3 }),
    );
    const server = await startPodServer(directory);
    await ends.defer('the pod server', () => server.kill());
    const credentials = JSON.stringify(await makeCredentials(server.url));
    return () => credentials;
  },
  async '/database'(ends) {
    // `npm run contract -- <url>` names the server to test with.
    const { CONTRACT_URL: url } = process.env;
    if (url !== undefined) return () => databaseAt(url, ends);
    const server = await PostgresServer.start();
    await ends.defer('PostgreSQL', () => server.remove());
    return () => server.createDatabase();
  },
};

/** A database on a server that somebody else runs. */
async function databaseAt(url: string, ends: Unwinding): Promise<string> {
  const name = `contract_${randomBytes(6).toString('hex')}`;
  await sql(url, `CREATE DATABASE ${name}`);
  await ends.defer(name, () => sql(url, `DROP DATABASE ${name}`));
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/**
 * Before the tests. The built program, a pod server and a PostgreSQL server, which take seconds of a core: all files share them,
 * in the process of the test runner. Each is made when a file asks for it first, over HTTP, but for CI. Gives what ends them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Give>>();
  const ends = new Unwinding();
  const startOf = (url: string) => {
    const start = started.get(url) ?? STARTS[url]?.(ends);
    if (!start) throw new Error(`nothing is shared at ${url}`);
    started.set(url, start);
    return start;
  };
  const control = createServer(async ({ url = '' }, response) => {
    try {
      response.end(await (await startOf(url))());
    } catch (error) {
      response.writeHead(500).end((error as Error).stack);
    }
  });
  await once(control.listen(0, '127.0.0.1'), 'listening');
  project.provide('sharedServers', `http://127.0.0.1:${(control.address() as AddressInfo).port}`);
  // On a fresh machine packages are installed first, with both cores: beside four workers that takes two minutes more.
  const { CI, UNIT } = process.env;
  if (CI === 'true' && UNIT === undefined) await Promise.allSettled(['/program', '/pod'].map(startOf));
  return async () => {
    control.close();
    control.closeAllConnections();
    // What is still starting ends with the others; whoever asked has been told what could not start.
    await Promise.allSettled(started.values());
    await ends.unwind();
  };
}
