import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { PostgresServer } from './postgres-server.js';

/** Before the tests of a project: a PostgreSQL server that starts when a file asks for a database first. Gives what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined;
  const control = createServer((_request, response) => {
    started ??= PostgresServer.start();
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
