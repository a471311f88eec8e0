import { readFile, rm } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks, markedPart } from '../support/docs.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { publish, unpublish } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { copyOf, EXAMPLES, OFTEN, runCommand, standIn } from '../support/shipped-examples.js';
import { followFeed, startVirtuoso, triplesOf, type Virtuoso } from '../support/virtuoso.js';
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
  let many: { uri: string }[];

  beforeAll(async () => {
    [store, server] = await Promise.all([startVirtuoso(), fakeServer()]);
    pod = new FakePod(server);
    pod.put('/all/sub/doc', `${turtle('both')}\n${turtle('twice', `; <${VOC}tag> "of the pod"`)}`);
    pod.put('/all/doc', turtle('pod'));
    const pods = [server.url('/all/'), server.url('/all/sub/')];
    const config = { write: 'open', pods };
    options = { config, env: OFTEN };
    node = await startInProcess(options);
    many = Array.from({ length: 120 }, (_, i) => ({
      ...{ uri: `https://c.example/${i}.js`, label: `Component ${i}`, version: '1.0.0', latest: i % 2 === 0 },
      ...{ tag: ['a', `tag ${i % 7}`], author: ['Ann'], shapes: [`https://s.example/${i % 5}`] },
    }));
    await publish(node, ...many, { uri: 'https://c.example/twice.js', label: HOSTILE, description: HOSTILE });
    await waitFor(async () => descriptions(await triplesOf(node)) === 126);
  });

  const projection = () => followFeed(node.url, store);
  const descriptions = (triples: readonly string[]) =>
    triples.filter((one) => one.includes('#label ')).length;
  /** Waits until the store says just what the node says. */
  const isInStep = (following: ReturnType<typeof projection>) =>
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

    await publish(
      node,
      { uri: 'https://c.example/new.js' },
      { uri: 'https://c.example/1.js', label: 'Edited' },
    );
    await unpublish(node, 'https://c.example/2.js');
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
    await node.start({ ...options, config: { ...options.config, pods: [first] } });
    await waitFor(async () => descriptions(await triplesOf(node)) === 124);
    await isInStep(following);

    // Another data directory: the node cannot say what has changed since the state of the store.
    await following.kill();
    await node.stop();
    await rm(node.dataDir, { recursive: true });
    await node.start({ ...options, config: { ...options.config, pods: [] } });
    await publish(node, ...many.slice(60).map(({ uri }) => ({ uri })));
    const reloading = projection();
    await waitFor(() => reloading.said().includes('(epoch): everything is read anew'));
    await reloading.kill();
    const again = projection();
    await isInStep(again);
    await again.kill();
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
