import { expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { call } from '../support/node/connection-node.js';
import { listedUris, listing, OPERATOR_TOKEN, statusOf, sync } from '../support/node/node-reader.js';
import type { PodServer } from '../support/pod/pod-server.js';
import { ALL_COMPONENTS, fillPod } from '../support/pod/sample-pod.js';
import { startPodServer } from '../support/pod/start-pod-server.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const CONTAINER = 'alice/down/';
const ADDRESS_BOOK = 'https://cdn.example.net/semcom/address-book.js';

/** A node that has read the container once, as its owner allowed it to. */
async function nodeReading(server: PodServer): Promise<InProcessNode> {
  const { id, secret, issuer } = server.credentials('alice');
  const node = await startInProcess({
    config: {
      // The same after a restart: what a node serves carries its address.
      listen: { port: await heldPort() },
      pods: [{ url: server.url + CONTAINER, auth: { id: 'ALICE_ID', secret: 'ALICE_SECRET', issuer } }],
      sync: { schedule: '0 0 1 1 *' },
      connection: { enabled: true },
      network: { allowPrivate: true },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ALICE_ID: id, ALICE_SECRET: secret },
  });
  await sync(node);
  return node;
}

/** What the connection service has of a private document in the pod, once it has tried to read it anew. */
async function refreshed(node: InProcessNode): Promise<{ readonly triples?: unknown }> {
  return (await call(node, 'POST', '/resource/refresh')).json[0];
}

async function connect(node: InProcessNode, server: PodServer): Promise<void> {
  const { id, secret } = server.credentials('alice');
  const made = await call(node, 'POST', '/connection/', {
    body: {
      source: `${server.url}${CONTAINER}medication-plan.ttl`,
      state: 'CONNECTED',
      holder: server.owner('alice').webId,
      configuration: { clientCredentials: { id, secret } },
    },
  });
  expect(made.status).toBe(201);
}

test('a pod that is down is not missed by readers, not even after a restart, and is read again when it is back', async () => {
  const server = await startPodServer({ pods: ['alice'] });
  await fillPod(server, CONTAINER);
  const node = await nodeReading(server);
  const before = await listing(node);

  await connect(node, server);
  const read = await refreshed(node);
  expect(read).toMatchObject({ triples: expect.arrayContaining([expect.anything()]) });
  expect(read).not.toHaveProperty('error');

  await server.kill();
  await expect(fetch(server.url)).rejects.toThrow();
  expect(await refreshed(node)).toMatchObject({ stale: true, triples: read.triples });
  await sync(node);
  expect(await statusOf(node, server.url + CONTAINER)).toMatchObject({
    state: 'failing',
    components: ALL_COMPONENTS.length,
    failingSince: expect.any(String),
    error: expect.any(String),
  });
  expect((await listing(node)).etag).toBe(before.etag);
  await node.stop();
  await node.restart();
  expect((await fetch(`${node.url}/health`)).status).toBe(200);
  expect((await listing(node)).etag).toBe(before.etag);

  await server.restart();
  const kept = await server.owner('alice').fetch(`${server.url}${CONTAINER}medication-plan.ttl`);
  expect(await kept.text()).toContain('Medication plan');
  expect(await refreshed(node)).not.toHaveProperty('error');
  await server.remove(`${CONTAINER}address-book.ttl`);
  await sync(node);
  expect(await listedUris(node)).toEqual(ALL_COMPONENTS.filter((uri) => uri !== ADDRESS_BOOK));
  expect((await statusOf(node, server.url + CONTAINER)).state).toBe('ok');
});
