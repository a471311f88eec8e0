import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLevel } from '../../src/store/disk/database/level.js';
import { SCHEMA_VERSION } from '../../src/store/disk/database/tables.js';
import { type InProcessNode, startInProcess } from '../acceptance/adapters/in-process-node.js';
import { listedUris } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { openQuadStore } from '../support/stores.js';

async function setSchemaVersion(node: InProcessNode, version: number): Promise<void> {
  const store = await openQuadStore(await openLevel(join(node.dataDir, 'registry')));
  await store.write({ rows: [{ table: 'meta', key: 'schema', value: version }], durable: true });
  await store.close();
}

it('data of a newer version stops the start with a clear line, and stays as it is', async () => {
  const node = await startInProcess({ config: { write: 'open' } });
  const component = { uri: 'https://modules.example/000000.js', label: 'Component 000000' };
  expect((await fetch(`${node.url}/component`, postJson(component))).status).toBe(201);
  await node.stop();
  await setSchemaVersion(node, 999);
  await expect(node.restart()).rejects.toThrow(/newer|version/);
  await setSchemaVersion(node, SCHEMA_VERSION);
  await node.restart();
  expect(await listedUris(node)).toHaveLength(1);
});
