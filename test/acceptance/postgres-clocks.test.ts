import pg from 'pg';
import { test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { startShiftedNode } from '../support/node/shifted-node.js';
import { newDatabase } from '../support/shared-postgres.js';
import { waitFor } from '../support/wait-for.js';

test('a node whose clock was set back is still one of those that share the database', async () => {
  const database = await newDatabase();
  const env = { REGISTRY_STORE_URL: database, REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
  const config = { baseUrl: 'http://registry.example', store: { engine: 'postgres' } };
  const listen = { port: await heldPort() };
  const file = { ...config, listen };
  const { node, setClock } = await startShiftedNode({
    config: file,
    env,
    url: `http://127.0.0.1:${listen.port}`,
  });
  const admin = new pg.Client({ connectionString: database });
  await admin.connect();
  cleanup(() => admin.end());
  const signed = async () => (await admin.query('SELECT seen::text FROM registry.node')).rows[0]?.seen;
  await setClock(-40 * 24 * 3_600_000);
  const before = await signed();
  await waitFor(async () => (await signed()) !== before);
  await node.stop();
});
