import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { FakePod } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const hash = (bytes: string) => `sha384-${createHash('sha384').update(bytes).digest('base64')}`;

/** Modules are looked for at once, and again after a day only. */
const TIMES = { pinningTimes: { round: 20, pause: 0, check: 86_400_000 } };

interface Status {
  readonly pins: { readonly all: number; readonly changed: number };
}

interface LintReport {
  readonly components: readonly { readonly findings: readonly object[] }[];
}

/** An author with a module of version 1.0.0, and a node that reads the author's pod and has seen the bytes that are promised. */
async function released(times: object = TIMES) {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  const uri = server.url('/module.js');
  const serve = (bytes: string) =>
    server.on('/module.js', { body: bytes, headers: { 'content-type': 'text/javascript' } });
  server.everything(undefined);
  server.on('/pod/', (request) => pod.answer(request)).on('/pod/doc.ttl', (request) => pod.answer(request));
  const describe = (bytes: string) =>
    pod.put(
      '/pod/doc.ttl',
      `<${uri}> <${VOC}label> "x"; <${VOC}version> "1.0.0"; <${VOC}integrity> "${hash(bytes)}".`,
    );
  serve('first');
  describe('first');
  const [node] = (await networkNodes(1, times)) as [NetworkNode];
  await node.start({ pods: [server.url('/pod/')] });
  await node.sync();
  await waitFor(async () => (await pins(node)).all === 1);
  expect(await pins(node)).toMatchObject({ changed: 0 });
  return { node, server, uri, serve, describe };
}

async function pins(node: NetworkNode): Promise<Status['pins']> {
  return (await node.json<Status>('/status')).pins;
}

/** Everywhere that somebody may look. */
async function expectTold(node: NetworkNode, uri: string, isChanged: boolean): Promise<void> {
  await waitFor(async () => (await pins(node)).changed === Number(isChanged));
  expect(await node.text('/metrics', '*/*')).toContain(`registry_pins{state="changed"} ${Number(isChanged)}`);
  const page = await node.text('/network', 'text/html');
  const section = page.slice(page.indexOf('id="pins"'));
  expect(section.includes(uri)).toBe(isChanged);
  const [component] = await node.json<{ pin?: { changed?: string } }[]>('/component');
  expect(component?.pin?.changed !== undefined).toBe(isChanged);
  const { changes } = await node.json<{ changes: { uri: string; pin?: { changed?: string } }[] }>('/feed');
  expect(changes.find((change) => change.uri === uri)?.pin?.changed !== undefined).toBe(isChanged);
}

test('a promise of other bytes under the same version is told everywhere at once, though the host is down', async () => {
  const { node, server, uri, describe } = await released();
  (server as FakeServer).on('/module.js', { status: 503 });
  describe('second');
  await node.sync();
  await expectTold(node, uri, true);
  describe('first');
  await node.sync();
  await expectTold(node, uri, false);
});

test('bytes that contradict what is promised are told everywhere, although they were seen first', async () => {
  const { node, server, uri, serve, describe } = await released({
    pinningTimes: { round: 20, pause: 0, check: 50 },
  });
  serve('second');
  await expectTold(node, uri, true);
  // An author who promises what is served now is told by lint why hosts do not run it.
  describe('second');
  const body = new URLSearchParams({ url: server.url('/pod/doc.ttl') });
  const headers = { accept: 'application/json' };
  const answer = await fetch(`${node.url}/publish`, { method: 'POST', headers, body });
  const { components } = (await answer.json()) as LintReport;
  expect(components[0]?.findings).toContainEqual({
    level: 'error',
    what: expect.stringMatching(/^this node saw other bytes first under version 1\.0\.0: sha384-/),
    fix: 'raise the version: hosts run no other bytes of a version than its first',
  });
});
