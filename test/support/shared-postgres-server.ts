import type { TestProject } from 'vitest/node';
import { onDemand } from './on-demand.js';
import { PostgresServer } from './postgres-server.js';

/** Before the tests of a project: a PostgreSQL server that starts when a file asks for a database first. Gives what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await onDemand({
    start: () => PostgresServer.start(),
    tell: (server) => server.createDatabase(),
    end: (server) => server.remove(),
  });
  project.provide('postgresControl', url);
  return close;
}
