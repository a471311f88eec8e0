import { spawn } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCAL } from '../../src/component/precedence.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportEntry,
  type ExportHeader,
} from '../../src/transfer/export-entry.js';
import { writeExport } from '../../src/transfer/write-export.js';
import { bareEnv, exitOf } from '../support/child.js';
import {
  call,
  prepareConnectionNode,
  runTokenVerb,
  startConnectionNode,
} from '../support/connection-node.js';
import { TOP } from '../support/docs.js';
import { type NodeProcess, prepareNode } from '../support/node-process.js';
import { listedUris, OPERATOR_TOKEN } from '../support/node-reader.js';
import { component } from '../support/registry.js';
import { seededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

/** Starts a command on the configuration of a node, as an operator does. Gives all that it prints when it has ended. */
function start(node: NodeProcess, ...args: string[]) {
  const config = join(dirname(node.dataDir), 'node.config.json');
  const argv = [`${TOP}dist/main.js`, ...args, '--config', config];
  const child = spawn(process.execPath, argv, { env: bareEnv({ REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN }) });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return { child, ended: exitOf(child).then(({ code, signal }) => ({ code, signal, text })) };
}

const run = (node: NodeProcess, ...args: string[]) => start(node, ...args).ended;

test('a node moves to another data directory with all that it holds', async () => {
  const node = await startConnectionNode({ config: { connection: { enabled: true }, write: 'open' } });
  const file = join(await tempDir(), 'all.gz');
  for (const name of ['a', 'b', 'a']) {
    const said = { ...component(name), description: `said at ${performance.now()}` };
    await call(node, 'POST', '/component', { body: said });
  }
  const body = { url: 'https://no.example/', decision: 'reject' };
  expect((await call(node, 'POST', '/discovery', { body })).status).toBe(204);
  const holder = 'https://ann.example/#me';
  const token = await runTokenVerb(node, '--holder', holder);
  const connection = { source: 'https://pod.example/', configuration: { accessToken: 'abc' } };
  expect((await call(node, 'POST', '/connection', { body: connection, token })).status).toBe(201);
  const connections = await call(node, 'GET', '/connection', { token });
  const listing = await node.getJson('/component');
  const wasAt = node.url;
  const { cursor, sources } = await node.getJson<{ cursor: string; sources: object[] }>('/feed/sources');

  expect(await run(node, 'export', file)).toMatchObject({ code: 1, text: expect.stringContaining('in use') });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await node.stop();
  const exported = await run(node, 'export', file);
  expect(exported).toMatchObject({ code: 0, text: expect.stringContaining('It holds secrets') });
  const [digest = ''] = /^digest .*$/m.exec(exported.text) ?? [];
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const moved = await prepareConnectionNode({ config: { connection: { enabled: true }, write: 'open' } });
  await moved.spawn();
  await moved.kill();
  await runTokenVerb(moved, '--holder', 'urn:bob');
  const refused = await run(moved, 'import', file);
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('move connection-key.json away') });
  await rm(join(moved.dataDir, 'connection-key.json'));
  const imported = await run(moved, 'import', file);
  expect(imported).toMatchObject({ code: 0, text: expect.stringContaining(digest) });
  await moved.start();
  // Their addresses begin with the URL of the node, which is another one.
  const named = JSON.stringify(listing).replaceAll(wasAt, moved.url);
  expect(await moved.getJson('/component')).toEqual(JSON.parse(named));
  const feed = await moved.getJson<{ sources: object[] }>('/feed/sources');
  expect(feed.sources).toEqual(sources.map((line) => ({ ...line, position: expect.any(Number) })));
  expect((await call(moved, 'GET', '/connection', { token })).json).toEqual(connections.json);
  const gone = await call(moved, 'GET', `/feed?since=${cursor}`);
  expect(gone).toMatchObject({ status: 410, json: { reason: 'epoch' } });
});

test('an import that is killed again and again ends right', async () => {
  const file = join(await tempDir(), 'many');
  const most = 600;
  const header: ExportHeader = {
    ...{ type: 'header', format: EXPORT_FORMAT, version: EXPORT_VERSION, software: '0', exportedAt: 0 },
    ...{ baseUrl: 'http://a.example', vocabulary: 'http://semcom.digita.ai/voc#' },
    ...{ cursor: '', connections: false },
  };
  await writeExport(file, header, statements(most));
  const node = await prepareNode();
  await node.spawn();
  await node.kill();
  const random = seededRandom(11);
  let acknowledged = 0;
  for (let round = 0; round < 2; round += 1) {
    const { child, ended } = start(node, 'import', file);
    const enough = acknowledged + 50 + Math.floor(random() * 100);
    await waitFor(async () => {
      const written = await readFile(join(node.dataDir, 'registry', 'ACKNOWLEDGED'), 'utf8');
      acknowledged = Number.parseInt(written, 10);
      return acknowledged >= enough;
    });
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  }
  await node.spawn();
  expect(await node.exit).toMatchObject({ code: 1 });
  expect(node.stderr).toContain('run the import of the same file again');
  const resumed = await run(node, 'import', file);
  expect(resumed).toMatchObject({ code: 0, text: expect.stringMatching(/going on after \d+ statements/) });
  expect(resumed.text).toContain('600 statements of 1 source');
  await node.start();
  expect((await listedUris(node)).length).toBe(most);
});

/** Posted one by one, so that each is stored in a commit of its own. */
async function* statements(most: number): AsyncGenerator<ExportEntry> {
  for (let i = 0; i < most; i += 1) {
    const said = component(String(i));
    yield {
      type: 'statement',
      at: 1_700_000_000_000 + i,
      source: LOCAL,
      document: LOCAL.url,
      component: said,
    };
  }
  yield { type: 'document', source: LOCAL, url: LOCAL.url, record: {} };
  yield { type: 'source', source: LOCAL, record: { failures: 0 } };
  yield { type: 'network', peers: [], storage: [] };
}
