import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris } from '../support/node/node-reader.js';
import { runProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

/** Runs the verb on a stopped node's data. */
async function repair({ dataDir }: Pick<NodeProcess, 'dataDir'>, ...flags: string[]) {
  return repairWith({ dataDir }, join(dataDir, '..'), {}, ...flags);
}

async function repairWith(
  settings: object,
  folder: string,
  env: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<{ code: number | null; text: string }> {
  const config = join(folder, 'repair.config.json');
  await writeFile(config, JSON.stringify(settings));
  const { code, stdout, stderr } = await runProgram(['repair', '--config', config, ...flags], { env });
  return { code, text: stdout + stderr };
}

test('a node with damaged data does not start and names the verb that repairs it', async () => {
  const node = await startNode({ config: { write: 'open', connection: { enabled: true } } });
  const uris = Array.from({ length: 50 }, (_, i) => `https://modules.example/${i}.js`).sort();
  const body = JSON.stringify(uris.map((uri) => ({ uri, label: uri })));
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${node.url}/component`, { method: 'POST', headers, body })).status).toBe(201);
  await node.stop();
  expect(await repair(node)).toEqual({
    code: 0,
    text: expect.stringMatching(/store: nothing is damaged/),
  });

  await rm(join(node.dataDir, 'store', 'CURRENT'));
  await node.spawn();
  expect(await node.exit).toMatchObject({ code: 1 });
  expect(node.stderr).toMatch(/CURRENT is missing.*component-registry-node repair --config/);

  const dry = await repair(node);
  expect(dry).toEqual({ code: 1, text: expect.stringContaining('nothing has been changed') });
  const applied = await repair(node, '--apply');
  expect(applied).toEqual({ code: 0, text: expect.stringContaining('store.damaged-') });
  await node.restart();
  expect((await listedUris(node)).sort()).toEqual(uris);
});

test('the data of a running node is left alone', async () => {
  const node = await startNode();
  expect(await repair(node, '--apply')).toEqual({ code: 1, text: expect.stringContaining('in use') });
});

test('what is in PostgreSQL is repaired with the tools of PostgreSQL', async () => {
  const env = { REGISTRY_STORE_URL: 'postgres://nobody@127.0.0.1:9/none' };
  const applied = await repairWith({ store: { engine: 'postgres' } }, await tempDir(), env, '--apply');
  expect(applied).toEqual({ code: 1, text: expect.stringMatching(/in PostgreSQL.*restore a backup/) });
});
