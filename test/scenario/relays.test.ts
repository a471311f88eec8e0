import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { inOrderFor } from '../../src/sync/relay/rendezvous.js';
import { type NetworkNode, networkNodes } from '../support/network-node.js';
import { SharedPod } from '../support/shared-pod.js';

const HOUR = 3_600_000;
const uriOf = (name: string) => `https://c.example/${name}.js`;
const turtle = (name: string, label: string) =>
  `<${uriOf(name)}> a <http://semcom.digita.ai/voc#component>; <http://semcom.digita.ai/voc#label> "${label}".`;

/** What a node says: uri and label. */
async function said(node: NetworkNode): Promise<Record<string, string>> {
  const listed = await node.json<{ uri: string; label: string }[]>('/component');
  return Object.fromEntries(listed.map(({ uri, label }) => [uri, label]));
}

test('two of three nodes read a pod; the third has what they have read, verifies it, and takes over', async () => {
  const server = await SharedPod.open('relays');
  const put = (name: string, label: string) =>
    server.put(`relays/public/${name}.ttl`, turtle(name, label), 'text/turtle');
  await put('one', 'before');
  await put('two', 'two');
  await server.makePublic('relays/public/');
  const pod = `${server.url}relays/public/`;

  let later = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + later };
  const nodes = await networkNodes(3, { clock });
  const order = inOrderFor(
    pod,
    nodes.map(({ url }) => url),
  );
  const [first, second, third] = order.map((url) => nodes.find((node) => node.url === url)) as [
    NetworkNode,
    NetworkNode,
    NetworkNode,
  ];
  const peersOf = (node: NetworkNode) => order.filter((url) => url !== node.url);
  const discovery = { relay: true };
  await first.start({ discovery, peers: [], pods: [pod] });
  await first.sync();
  await second.start({ discovery, peers: [first.url] });
  await second.sync();
  await second.sync();
  await third.start({ discovery, peers: peersOf(third) });
  for (let round = 0; round < 3; round++) await third.sync();
  expect(await said(third)).toEqual({ [uriOf('one')]: 'before', [uriOf('two')]: 'two' });

  /** The requests for the pod while all that a node knows is polled, until it has heard and taken what there is. */
  async function requestsOf(node: NetworkNode, polls = 2): Promise<number> {
    await server.take();
    for (let poll = 0; poll < polls; poll++) await node.sync();
    return (await server.take()).length;
  }
  await requestsOf(third);
  expect(await requestsOf(third)).toBe(0);
  expect(await requestsOf(second, 1)).toBeGreaterThan(0);

  await put('one', 'after');
  await server.remove('relays/public/two.ttl');
  await put('three', 'three');
  await first.sync();
  await second.sync();
  expect(await requestsOf(third)).toBe(0);
  expect(await said(third)).toEqual({ [uriOf('one')]: 'after', [uriOf('three')]: 'three' });
  expect(await third.source(pod)).toMatchObject({
    kind: 'pod',
    configured: false,
    state: 'ok',
    components: 2,
    relayed: { from: expect.stringMatching(/^http/), verified: expect.stringMatching(/^20/) },
  });
  const [{ source } = {}] = await third.json<{ source: object }[]>('/component');
  expect(source).toMatchObject({ kind: 'pod', url: pod, trust: 'learned' });

  // Once a day it reads the pod itself, and what was deleted stays so.
  later += 24 * HOUR;
  expect(await requestsOf(third, 1)).toBeGreaterThan(0);
  expect(await said(third)).toEqual({ [uriOf('one')]: 'after', [uriOf('three')]: 'three' });
  expect(await requestsOf(third)).toBe(0);

  // Both vanish, and after a while it reads the pod itself.
  await first.stop();
  await second.stop();
  await put('one', 'at last');
  later += 2 * HOUR;
  expect(await requestsOf(third, 1)).toBeGreaterThan(0);
  expect(await said(third)).toEqual({ [uriOf('one')]: 'at last', [uriOf('three')]: 'three' });

  // Without relays, it goes on reading.
  await third.stop();
  await third.start({ peers: peersOf(third) });
  await put('one', 'without');
  await third.sync();
  expect((await said(third))[uriOf('one')]).toBe('without');
});
