import { beforeAll, expect, test } from 'vitest';
import { listedUris, statusOf, sync } from '../support/node/node-reader.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let server: Pod;
beforeAll(async () => {
  server = await sharedPod();
});

const uriOf = (name: string) => `https://c.example/${name}.js`;
const turtle = (name: string, label: string) =>
  `<${uriOf(name)}> a <http://semcom.digita.ai/voc#component>; <http://semcom.digita.ai/voc#label> "${label}".`;
const put = (path: string, name: string, label = name) =>
  server.put(path, turtle(name, label), 'text/turtle');

/** A node that has read a container with one document in it, and hears of both: it polls no more. */
async function listening(
  container: string,
  config: object = {},
  env: Record<string, string> = {},
): Promise<InProcessNode> {
  const pod = server.url + container;
  const node = await startInProcess({
    config: {
      pods: [pod],
      ...config,
    },
    env,
  });
  await sync(node);
  await waitFor(async () => (await lines(node)) === 2, {
    describe: 'a line to the container and to its document',
  });
  return node;
}

async function lines(node: InProcessNode): Promise<number> {
  const metrics = await (await fetch(`${node.url}/metrics`)).text();
  return Number(/^registry_hint_lines (\d+)$/m.exec(metrics)?.[1]);
}

async function labelOf(node: InProcessNode, name: string): Promise<string | undefined> {
  const response = await fetch(`${node.url}/c/${encodeURIComponent(uriOf(name))}`);
  return ((await response.json()) as { label?: string }).label;
}

test('edits, new documents and deletions arrive although the node does not poll', async () => {
  await put('push/public/first.ttl', 'first', 'before');
  await server.makePublic('push/public/');
  const node = await listening('push/public/');
  expect(await statusOf(node, `${server.url}push/public/`)).toMatchObject({ live: true });

  await put('push/public/first.ttl', 'first', 'after');
  await waitFor(async () => (await labelOf(node, 'first')) === 'after');
  await put('push/public/second.ttl', 'second');
  await waitFor(async () => (await listedUris(node)).includes(uriOf('second')));
  await waitFor(async () => (await lines(node)) === 3);
  await put('push/public/second.ttl', 'second', 'edited');
  await waitFor(async () => (await labelOf(node, 'second')) === 'edited');
  await server.remove('push/public/first.ttl');
  await waitFor(async () => !(await listedUris(node)).includes(uriOf('first')));
});

test('of a private pod, with its credentials', async () => {
  await put('push/private/only.ttl', 'only', 'before');
  const { id, secret, issuer } = server.credentials;
  const url = `${server.url}push/private/`;
  const node = await listening(
    'push/private/',
    { pods: [{ url, auth: { id: 'ID', secret: 'SECRET', issuer } }] },
    { ID: id, SECRET: secret },
  );
  await put('push/private/only.ttl', 'only', 'after');
  await waitFor(async () => (await labelOf(node, 'only')) === 'after');
  expect(JSON.stringify(node.log)).not.toContain(secret);
});
