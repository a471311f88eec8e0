import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, tokenOf, WITH_CONNECTIONS } from '../support/node/connection-node.js';
import { prepareNode, startNode } from '../support/node/node-process.js';
import { tempDir } from '../support/temp-dir.js';

const uriOf = (name: string) => `https://c.example/${name}.js`;

describe('what a node holds', () => {
  const service = { ...WITH_CONNECTIONS, write: 'open' };
  let file: string;
  /** What the commands print of it. */
  let digest: string;
  let token: string;
  let was: { url: string; listing: unknown; connections: unknown; cursor: string; sources: object[] };

  beforeAll(async () => {
    file = join(await tempDir(), 'all.gz');
    const node = await startNode({ config: service });
    for (const [i, name] of ['a', 'b', 'a'].entries()) {
      await call(node, 'POST', '/component', {
        body: { uri: uriOf(name), label: name, description: `said as number ${i}` },
      });
    }
    const body = { url: 'https://no.example/', decision: 'reject' };
    expect((await call(node, 'POST', '/discovery', { body })).status).toBe(204);
    token = await tokenOf(node, 'https://ann.example/#me');
    const connection = { source: 'https://pod.example/', configuration: { accessToken: 'abc' } };
    expect((await call(node, 'POST', '/connection', { body: connection, token })).status).toBe(201);
    const listing = await node.getJson('/component');
    const connections = (await call(node, 'GET', '/connection', { token })).json;
    const lines = await node.getJson<{ cursor: string; sources: object[] }>('/feed/sources');
    was = { url: node.url, listing, connections, ...lines };

    expect(await node.run('export', file)).toMatchObject({
      code: 1,
      text: expect.stringContaining('in use'),
    });
    await expect(stat(file)).rejects.toThrow('ENOENT');
    await node.stop();
    const exported = await node.run('export', file);
    expect(exported).toMatchObject({ code: 0, text: expect.stringContaining('It holds secrets') });
    [digest = ''] = /^digest .*$/m.exec(exported.text) ?? [];
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  const isSame = () => ({ code: 0, text: expect.stringContaining(digest) });

  test('moves to another data directory, with its key', async () => {
    const moved = await prepareNode({ config: service });
    await tokenOf(moved, 'urn:bob');
    const refused = await moved.run('import', file);
    expect(refused).toMatchObject({
      code: 1,
      text: expect.stringContaining('move connection-key.json away'),
    });
    await rm(join(moved.dataDir, 'connection-key.json'));
    expect(await moved.run('import', file)).toMatchObject(isSame());
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
});
