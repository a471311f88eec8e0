import { expect, test } from 'vitest';
import { component, listedUris, metric, statusOf, sync } from '../support/node/node-reader.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';
import { startInProcess } from './adapters/in-process-node.js';

const CONTAINER = 'push/private/';
const uriOf = (name: string) => `https://c.example/${name}.js`;
const turtle = (name: string, label: string) =>
  `<${uriOf(name)}> a <http://semcom.digita.ai/voc#component>; <http://semcom.digita.ai/voc#label> "${label}".`;

// Those of a public pod are what simulated pods tell, too (test/scenario/simulated-pod.test.ts).
test('edits, new documents and deletions in a private pod arrive although the node does not poll', async () => {
  const server = await sharedPod();
  const put = (name: string, label: string) =>
    server.put(`${CONTAINER}${name}.ttl`, turtle(name, label), 'text/turtle');
  await put('first', 'before');
  const { id, secret, issuer } = server.credentials;
  const url = server.url + CONTAINER;
  const node = await startInProcess({
    config: { pods: [{ url, auth: { id: 'ID', secret: 'SECRET', issuer } }] },
    env: { ID: id, SECRET: secret },
  });
  await sync(node);
  const hasLines = (count: number) =>
    waitFor(async () => (await metric(node, 'registry_hint_lines')) === count);
  const isCalled = (name: string, label: string) =>
    waitFor(async () => (await component(node, uriOf(name)))?.label === label);

  // One to the container, and one to its document.
  await hasLines(2);
  expect(await statusOf(node, url)).toMatchObject({ live: true });
  await put('first', 'after');
  await isCalled('first', 'after');
  await put('second', 'new');
  await isCalled('second', 'new');
  await hasLines(3);
  await put('second', 'edited');
  await isCalled('second', 'edited');
  await server.remove(`${CONTAINER}first.ttl`);
  await waitFor(async () => !(await listedUris(node)).includes(uriOf('first')));
  expect(JSON.stringify(node.log)).not.toContain(secret);
});
