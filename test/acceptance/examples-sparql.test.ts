import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks, markedPart } from '../support/docs.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { copyOf, EXAMPLES, OFTEN, replaced, runCommand, standIn } from '../support/shipped-examples.js';
import { FeedProjection, triplesOf } from '../support/sparql-projection.js';
import { tempDir } from '../support/temp-dir.js';
import { startVirtuoso, type Virtuoso } from '../support/virtuoso.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOLDER = `${EXAMPLES}sparql/`;
const VOC = 'http://semcom.digita.ai/voc#';
/** Text that would end a literal, and say something else, were it not escaped. */
const HOSTILE = 'x"\\u0022 } ; DROP ALL #🦄é\n\r\t\\';

describe('docs/examples/sparql', () => {
  let store: Virtuoso;
  let node: InProcessNode;
  let server: FakeServer;
  let pod: FakePod;
  let options: { config: { pods: string[] }; env: Record<string, string> };

  beforeAll(async () => {
    [store, server] = await Promise.all([startVirtuoso(), fakeServer()]);
    pod = new FakePod(server);
    pod.put('/all/sub/doc', `${turtle('both')}\n${turtle('twice', `; <${VOC}tag> "of the pod"`)}`);
    pod.put('/all/doc', turtle('pod'));
    const pods = [server.url('/all/'), server.url('/all/sub/')];
    const config = { write: 'open', pods };
    options = { config, env: OFTEN };
    node = await startInProcess(options);
    const many = Array.from({ length: 120 }, (_, i) => ({
      ...{ uri: `https://c.example/${i}.js`, label: `Component ${i}`, version: '1.0.0', latest: i % 2 === 0 },
      ...{ tag: ['a', `tag ${i % 7}`], author: ['Ann'], shapes: [`https://s.example/${i % 5}`] },
    }));
    await post([...many, { uri: 'https://c.example/twice.js', label: HOSTILE, description: HOSTILE }]);
    await waitFor(async () => descriptions(await triplesOf(node)) === 126);
  });

  async function post(components: object[]) {
    const answer = await fetch(`${node.url}/component`, postJson(components));
    if (!answer.ok) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
  }
  const projection = () => new FeedProjection(node.url, store).start();
  const descriptions = (triples: readonly string[]) =>
    triples.filter((one) => one.includes('#label ')).length;
  /** Waits until the store says just what the node says. */
  const isInStep = (following: FeedProjection) =>
    waitFor(
      async () => {
        expect(await following.triples()).toEqual(await triplesOf(node));
        return true;
      },
      { describe: () => `the store to be in step:\n${following.said()}` },
    );

  test('keeps a store in step with a node, killed in the middle or not, through resets of the node', async () => {
    const killed = projection();
    await waitFor(async () => descriptions(await killed.triples()) > 20);
    await killed.kill();
    expect(descriptions(await killed.triples())).toBeLessThan(126);

    const following = projection();
    await isInStep(following);
    expect(following.said()).not.toContain('knows nothing');
    // Two pods describe one document, and each of them says so.
    expect(
      (await following.triples()).filter((one) => one.includes('both.js') && one.includes('#label')),
    ).toHaveLength(2);

    await post([
      { uri: 'https://c.example/new.js', label: 'New' },
      { uri: 'https://c.example/1.js', label: 'Edited' },
    ]);
    await fetch(`${node.url}/c/https://c.example/2.js`, { method: 'DELETE' });
    pod.put('/all/doc', turtle('pod', `; <${VOC}tag> "edited"`));
    await waitFor(async () => (await triplesOf(node)).join().includes('edited'));
    await isInStep(following);

    const [query] = codeBlocks(markedPart(await readFile(`${FOLDER}README.md`, 'utf8'), 'sparql'), 'sparql');
    const asked = (query?.code ?? '')
      .replaceAll('http://localhost:3000', node.url)
      .replaceAll('https://c.example/card.js', 'https://c.example/twice.js');
    const served = await node.getJson<{ label: string }>('/c/https://c.example/twice.js');
    expect((await store.select(asked)).map(({ label }) => label)).toEqual([served.label]);

    // One of the two pods goes. What the other one says stays.
    await node.stop();
    const [first] = options.config.pods;
    await node.restart({ ...options, config: { ...options.config, pods: [first] } });
    await waitFor(async () => descriptions(await triplesOf(node)) === 124);
    await isInStep(following);

    // Another data directory: the node cannot say what has changed since the state of the store.
    await following.kill();
    await node.stop();
    await rm(node.dataDir, { recursive: true });
    await node.restart({ ...options, config: { ...options.config, pods: [] } });
    const others = Array.from({ length: 60 }, (_, i) => ({
      uri: `https://c.example/${i + 60}.js`,
      label: `${i}`,
    }));
    await post(others);
    const reloading = projection();
    await waitFor(() => reloading.said().includes('(epoch): everything is read anew'));
    await reloading.kill();
    const again = projection();
    await isInStep(again);
    await again.kill();
  });

  test('has a unit that systemd takes as it is', async () => {
    const unit = 'component-registry-sparql@.service';
    const directory = await tempDir();
    const script = '/opt/component-registry-node/docs/examples/sparql/follow-feed.mjs';
    const here = { '/usr/bin/node': process.execPath, [script]: `${FOLDER}follow-feed.mjs` };
    await writeFile(join(directory, unit), replaced(await readFile(FOLDER + unit, 'utf8'), here));
    const verify = promisify(execFile)('systemd-analyze', ['verify', '--man=no', `./${unit}`], {
      cwd: directory,
    });
    expect(await verify).toEqual({ stdout: '', stderr: '' });
  });
});

test('docs/examples/sparql: one script starts the store and what keeps it in step, and stops them', async () => {
  const virtuoso = await standIn('virtuoso-t', { stays: true });
  const port = `${await heldPort()}`;
  const cwd = await copyOf('sparql', { '8890': port });
  const env = { PATH: virtuoso.path, NODE_URL: 'http://127.0.0.1:1' };
  const running = runCommand(['./start.sh'], { cwd, env });
  await waitFor(() => running.said().includes(`127.0.0.1:${port}`), { describe: () => running.said() });
  expect(await virtuoso.calls()).toEqual(['+foreground +configfile virtuoso.ini']);
  expect(await running.stop()).toEqual({ code: 0, signal: null });
});
