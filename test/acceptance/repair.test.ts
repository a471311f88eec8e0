import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris } from '../support/node/node-reader.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Runs the verb on a stopped node's data. */
async function repair(node: NodeProcess, ...flags: string[]): Promise<{ code: number; text: string }> {
  const config = join(node.dataDir, '..', 'repair.config.json');
  await writeFile(config, JSON.stringify({ dataDir: node.dataDir }));
  try {
    const args = [MAIN, 'repair', '--config', config, ...flags];
    return { code: 0, text: (await promisify(execFile)(process.execPath, args)).stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
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
