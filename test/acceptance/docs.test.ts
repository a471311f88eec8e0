import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { bareEnv } from '../support/child.js';
import { codeBlocks, documentAt, markedPart, strictScript, TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { call, tokenOf, WITH_CONNECTIONS } from '../support/node/connection-node.js';
import { type NodeProcess, prepareNode, startNode } from '../support/node/node-process.js';
import { listedUris, publish } from '../support/node/node-reader.js';
import { MAIN } from '../support/run-program.js';

/** What a script of a document prints that is run in a folder, such as that of a node with its configuration file. */
const printed = async (script: string, cwd: string) =>
  (await promisify(execFile)('bash', ['-c', script], { cwd, env: bareEnv() })).stdout;

/** The shell blocks between two marks as one script that runs the built program. */
function scriptIn(path: string, mark: string): string {
  const blocks = codeBlocks(markedPart(documentAt(path), mark), 'sh');
  expect(blocks.length).toBeGreaterThan(0);
  return strictScript(blocks).replaceAll('dist/main.js', MAIN);
}

const config = { ...WITH_CONNECTIONS, write: 'open' };
let node: NodeProcess;
beforeAll(async () => {
  node = await startNode({ config });
});

test('the commands of docs/connections.md get a token, connect, invite and refresh', async () => {
  // The document that the page names is not asked for by tests: another server answers in its place.
  const source = (await fakeServer())
    .everything({ headers: { 'content-type': 'text/turtle' }, body: '<#it> <urn:p> 1, 2 .' })
    .url('/ldp.ttl');
  const script = scriptIn('docs/connections.md', 'connection-curl')
    .replaceAll('http://localhost:3000', node.url)
    .replaceAll('https://www.w3.org/ns/ldp.ttl', source)
    .replaceAll(encodeURIComponent('https://www.w3.org/ns/ldp.ttl'), encodeURIComponent(source));
  const lines = (await printed(script, dirname(node.dataDir))).split('\n').map((line) => line.trim());
  expect(lines[0]).toContain('201 Created');
  const [made, listed, invite, link, refreshed, resource] = lines
    .filter((line) => /^[[{]/.test(line))
    .map((line) => JSON.parse(line));
  expect(listed).toEqual([made]);
  expect(made).toMatchObject({ state: 'CONNECTED', source: encodeURIComponent(source) });
  expect(invite).toMatchObject({ uri: 'urn:example:invite:1', state: 'not linked' });
  expect((await fetch(link.inviteLink)).status).toBe(200);
  expect(refreshed).toMatchObject([{ uri: source, triples: [{}, {}] }]);
  expect(refreshed[0].stale).toBeUndefined();
  expect(resource).toEqual(refreshed[0]);
});

test('the commands of docs/operators.md judge a configuration', async () => {
  const said = await printed(scriptIn('docs/operators.md', 'cli'), TOP);
  expect(said).toContain('ok: registry at http://localhost:3000, write operator');
});

test('a node with damaged data names the verb that repairs it; the commands of docs/operators.md do so', async () => {
  const uris = Array.from({ length: 50 }, (_, i) => `https://modules.example/${i}.js`).sort();
  await publish(node, ...uris.map((uri) => ({ uri })));
  await node.stop();
  await rm(join(node.dataDir, 'store', 'CURRENT'));
  await node.spawn();
  expect(await node.exit).toMatchObject({ code: 1 });
  expect(node.stderr).toMatch(/CURRENT is missing.*component-registry-node repair --config/);

  // Damage that was found and not repaired is exit code 1, which the operator reads on.
  const script = scriptIn('docs/operators.md', 'repair').replace(/^(.*main\.js repair) +#/m, '$1 || true #');
  const said = await printed(script, dirname(node.dataDir));
  expect(said).toContain('nothing has been changed');
  expect(said).toContain('repaired; the damaged files are kept');
  await node.start();
  expect((await listedUris(node)).sort()).toEqual(uris);
});

test('the commands of docs/operators.md move what a node has stored, with its key', async () => {
  const moved = await prepareNode({ config });
  const token = await tokenOf(node, 'urn:example:ann');
  const connection = { source: 'https://pod.example/', configuration: { accessToken: 'abc' } };
  expect((await call(node, 'POST', '/connection', { body: connection, token })).status).toBe(201);
  /** What is asked of both; addresses begin with the URL of the node, which is another one. */
  const said = async (one: NodeProcess) => ({
    components: JSON.stringify(await one.getJson('/component')).replaceAll(one.url, ''),
    connections: (await call(one, 'GET', '/connection', { token })).json,
    ...(await one.getJson<{ cursor: string; sources: object[] }>('/feed/sources')),
  });
  const { cursor, sources, ...was } = await said(node);
  await node.stop();
  const script = scriptIn('docs/operators.md', 'export');
  const folder = dirname(node.dataDir);
  const told = await printed(script.replace('/etc/registry/new.json', await moved.writeConfig()), folder);
  const digests = [...told.matchAll(/^digest .*$/gm)].map(([line]) => line);
  expect([digests.length, new Set(digests).size]).toEqual([3, 1]);
  expect((await stat(join(folder, 'all.gz'))).mode & 0o777).toBe(0o600);
  await moved.start();
  const now = await said(moved);
  expect(now).toMatchObject(was);
  expect(now.sources).toEqual(sources.map((line) => ({ ...line, position: expect.any(Number) })));
  const gone = await call(moved, 'GET', `/feed?since=${cursor}`);
  expect(gone).toMatchObject({ status: 410, json: { reason: 'epoch' } });
});
