import { spawn } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportHeader,
  type ExportRecord,
} from '../../src/transfer/export-record.js';
import { writeExport } from '../../src/transfer/write-export.js';
import { bareEnv, exitOf } from '../support/child.js';
import { TOP } from '../support/docs.js';
import { heldPort } from '../support/held-port.js';
import {
  call,
  prepareConnectionNode,
  runTokenVerb,
  startConnectionNode,
} from '../support/node/connection-node.js';
import { type NodeProcess, prepareNode } from '../support/node/node-process.js';
import { listedUris } from '../support/node/node-reader.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { component } from '../support/registry.js';
import { seededRandom } from '../support/seeded-random.js';
import { newDatabase } from '../support/shared-postgres.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

/** Starts a command on the configuration of a node, as an operator does. Gives all that it prints when it has ended. */
function start(env: Readonly<Record<string, string>>, node: NodeProcess, ...args: string[]) {
  const config = join(dirname(node.dataDir), 'node.config.json');
  const argv = [`${TOP}dist/main.js`, ...args, '--config', config];
  const child = spawn(process.execPath, argv, { env: bareEnv(env) });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return { child, ended: exitOf(child).then(({ code, signal }) => ({ code, signal, text })) };
}

const runWith = (...given: Parameters<typeof start>) => start(...given).ended;
const run = (node: NodeProcess, ...args: string[]) => runWith({}, node, ...args);

describe('what a node holds', () => {
  const service = { connection: { enabled: true }, write: 'open' };
  let file: string;
  /** What the commands print of it. */
  let digest: string;
  let token: string;
  let was: { url: string; listing: unknown; connections: unknown; cursor: string; sources: object[] };

  beforeAll(async () => {
    file = join(await tempDir(), 'all.gz');
    const node = await startConnectionNode({ config: service });
    for (const [i, name] of ['a', 'b', 'a'].entries()) {
      await call(node, 'POST', '/component', {
        body: component(name, { description: `said as number ${i}` }),
      });
    }
    const body = { url: 'https://no.example/', decision: 'reject' };
    expect((await call(node, 'POST', '/discovery', { body })).status).toBe(204);
    token = await runTokenVerb(node, '--holder', 'https://ann.example/#me');
    const connection = { source: 'https://pod.example/', configuration: { accessToken: 'abc' } };
    expect((await call(node, 'POST', '/connection', { body: connection, token })).status).toBe(201);
    const listing = await node.getJson('/component');
    const connections = (await call(node, 'GET', '/connection', { token })).json;
    const lines = await node.getJson<{ cursor: string; sources: object[] }>('/feed/sources');
    was = { url: node.url, listing, connections, ...lines };

    expect(await run(node, 'export', file)).toMatchObject({
      code: 1,
      text: expect.stringContaining('in use'),
    });
    await expect(stat(file)).rejects.toThrow('ENOENT');
    await node.stop();
    const exported = await run(node, 'export', file);
    expect(exported).toMatchObject({ code: 0, text: expect.stringContaining('It holds secrets') });
    [digest = ''] = /^digest .*$/m.exec(exported.text) ?? [];
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  const isSame = () => ({ code: 0, text: expect.stringContaining(digest) });

  test('moves to another data directory, with its key', async () => {
    const moved = await prepareConnectionNode({ config: service });
    await moved.writeConfig();
    await runTokenVerb(moved, '--holder', 'urn:bob');
    const refused = await run(moved, 'import', file);
    expect(refused).toMatchObject({
      code: 1,
      text: expect.stringContaining('move connection-key.json away'),
    });
    await rm(join(moved.dataDir, 'connection-key.json'));
    expect(await run(moved, 'import', file)).toMatchObject(isSame());
    await moved.start();
    // Their addresses begin with the URL of the node, which is another one.
    const named = JSON.stringify(was.listing).replaceAll(was.url, moved.url);
    expect(await moved.getJson('/component')).toEqual(JSON.parse(named));
    const feed = await moved.getJson<{ sources: object[] }>('/feed/sources');
    expect(feed.sources).toEqual(was.sources.map((line) => ({ ...line, position: expect.any(Number) })));
    expect((await call(moved, 'GET', '/connection', { token })).json).toEqual(was.connections);
    const gone = await call(moved, 'GET', `/feed?since=${was.cursor}`);
    expect(gone).toMatchObject({ status: 410, json: { reason: 'epoch' } });
  });

  test.skipIf(!hasPostgres())('moves to a database, and out of it, with its key', async () => {
    const env = { REGISTRY_STORE_ENGINE: 'postgres', REGISTRY_STORE_URL: await newDatabase() };
    // All that use a database say by the address that they are one registry.
    const config = { ...service, listen: { port: await heldPort() } };
    const cluster = await prepareConnectionNode({ config, env });
    await cluster.writeConfig();
    expect(await runWith(env, cluster, 'import', file)).toMatchObject(isSame());
    await cluster.start();
    expect((await call(cluster, 'GET', '/connection', { token })).json).toEqual(was.connections);
    const before = await cluster.getJson('/component');
    // What runs is neither replaced nor mixed with what the file holds.
    expect(await runWith(env, cluster, 'import', file, '--replace')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/is used by a node of http.*: stop all of them, and import again/),
    });
    expect(await cluster.getJson('/component')).toEqual(before);
    await cluster.stop();
    const after = join(await tempDir(), 'after');
    expect(await runWith(env, cluster, 'export', after)).toMatchObject(isSame());
  });
});

test('an import that is killed again and again ends right', async () => {
  const file = join(await tempDir(), 'many');
  const most = 300;
  const header: ExportHeader = {
    ...{ type: 'header', format: EXPORT_FORMAT, version: EXPORT_VERSION, software: '0', exportedAt: 0 },
    ...{ baseUrl: 'http://a.example', vocabulary: 'http://semcom.digita.ai/voc#' },
    ...{ cursor: '', connections: false },
  };
  await writeExport(file, header, statements(most));
  const node = await prepareNode();
  await node.writeConfig();
  const random = seededRandom(11);
  let acknowledged = 0;
  for (let round = 0; round < 2; round += 1) {
    const { child, ended } = start({}, node, 'import', file);
    const enough = acknowledged + 30 + Math.floor(random() * 60);
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
  expect(resumed.text).toContain('300 statements of 1 source');
  await node.start();
  expect((await listedUris(node)).length).toBe(most);
});

/** Posted one by one, so that each is stored in a commit of its own. */
async function* statements(most: number): AsyncGenerator<ExportRecord> {
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
