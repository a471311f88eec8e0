import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.js';

/** Where databases for tests are made. */
interface Place {
  createDatabase(): Promise<string>;
  remove(): Promise<void>;
}

/** Before the tests of a project: a PostgreSQL server that starts when a file asks for a database first. Gives what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<Place> | undefined;
  const { CONTRACT_URL: given } = process.env;
  const control = createServer((_request, response) => {
    started ??= given === undefined ? PostgresServer.start() : serverAt(given);
    started
      .then((server) => server.createDatabase())
      .then(
        (url) => response.end(url),
        (error: Error) => response.writeHead(500).end(error.stack),
      );
  });
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve));
  project.provide('postgresControl', `http://127.0.0.1:${(control.address() as AddressInfo).port}`);
  return async () => {
    control.close();
    control.closeAllConnections();
    await (await started)?.remove();
  };
}

/** A server that somebody else runs (`npm run contract`). */
async function serverAt(url: string): Promise<Place> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names: string[] = [];
  return {
    async createDatabase() {
      const name = `contract_${randomBytes(6).toString('hex')}`;
      await client.query(`CREATE DATABASE ${name}`);
      names.push(name);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    async remove() {
      for (const name of names) await client.query(`DROP DATABASE ${name}`);
      await client.end();
    },
  };
}
