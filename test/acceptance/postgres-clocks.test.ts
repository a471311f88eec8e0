import { expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { list, OPERATOR, PUBLIC, post, startClusterNode } from '../support/node/cluster.js';
import { startShiftedNode } from '../support/node/shifted-node.js';
import { newDatabase } from '../support/shared-postgres.js';
import { waitFor } from '../support/wait-for.js';

test('a node whose clock was set back is still one of those that share the database', async () => {
  const database = await newDatabase();
  const port = await heldPort();
  const url = `http://127.0.0.1:${port}`;
  const { node, setClock } = await startShiftedNode({
    config: { baseUrl: PUBLIC, listen: { port }, write: 'open', store: { engine: 'postgres' } },
    env: { REGISTRY_STORE_URL: database, REGISTRY_OPERATOR_TOKEN: OPERATOR },
    url,
  });
  const other = await startClusterNode(database);
  await setClock(-40 * 24 * 3_600_000);
  for (const [written, name] of [
    [other.url, 'https://c.example/there.js'],
    [url, 'https://c.example/here.js'],
  ] as const) {
    expect(await post(written, [name])).toBe(201);
    for (const shown of [url, other.url]) await waitFor(async () => (await list(shown)).uris.includes(name));
  }
  expect((await list(url)).etag).toBe((await list(other.url)).etag);
  await node.stop();
});
