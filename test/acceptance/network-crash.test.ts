import { setTimeout as instant } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN, publishMany, statusOf, sync } from '../support/node/node-reader.js';
import { countingProxy } from '../support/proxy/counting-proxy.js';
import { seededRandom } from '../support/seeded-random.js';
import { inTorture, rounds, seed } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

const ON_DEMAND = { schedule: '0 0 1 1 *' };
/** Components at first, and those that come with each poll: several pages of the feed. */
const COUNT = inTorture ? 500 : 100;
const MORE = inTorture ? 1_500 : 1_050;

const random = seededRandom(seed);
/** The part of what a poll brings after which one side is killed: between its pages, or in the middle of one. */
const PARTS = Array.from({ length: rounds({ short: 1, full: 25 }) }, (_, round) =>
  round === 0 ? 0.6 : Math.round(random() * 900) / 1000,
);
/** The time after the last byte at which the node is killed, in ms: while it stages, compares, or commits. */
const INSTANTS = Array.from({ length: rounds({ short: 1, full: 25 }) }, () => Math.round(random() * 400));

/** A node with components, and one that follows it by way of a proxy; both are processes of their own. */
async function pair() {
  const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
  // Known to the proxy by its port, which it has again after a restart.
  const listen = { port: await heldPort() };
  const sources = { sync: { ...ON_DEMAND, streams: 0 } };
  const peer = await startNode({ config: { write: 'operator', ...sources, listen }, env });
  await publishMany(peer, 0, COUNT);
  const proxy = await countingProxy();
  proxy.forwardTo(peer.url);
  const node = await startNode({ config: { peers: [proxy.url], ...sources }, env });
  await sync(node);
  // What another poll brings shows how many bytes the next one will be.
  await publishMany(peer, COUNT, MORE);
  const before = proxy.received;
  await sync(node);
  const bytes = proxy.received - before;
  expect(await listedUris(node)).toHaveLength(COUNT + MORE);
  return { peer, node, proxy, bytes };
}

type Pair = Awaited<ReturnType<typeof pair>>;
/** In `npm test`, those of all tests. */
let shared: Pair | undefined;
beforeAll(async () => {
  if (!inTorture) shared = await pair();
});

/** Two nodes, of which one has `MORE` components that the other, with `count`, has not polled yet. */
async function pairBehind() {
  const found = shared ?? (await pair());
  const count = (await listedUris(found.node)).length;
  await publishMany(found.peer, count, MORE);
  return { ...found, count };
}

async function expectFollowing(node: NodeProcess, url: string, repairs = false): Promise<void> {
  const { following } = await statusOf(node, url);
  expect(following).toMatchObject({ by: 'feed' });
  if (!repairs) expect(following).not.toHaveProperty('lastRepair');
}

describe(`a process killed in the middle of a poll (seed ${seed})`, () => {
  test.each(PARTS)(
    'the peer, after %f of it: nothing is lost, and what it says is taken when it is back',
    async (part) => {
      const { peer, node, proxy, bytes, count } = await pairBehind();
      const before = await listedUris(node);
      let killed: Promise<void> | undefined;
      proxy.trap(Math.ceil(bytes * part), () => {
        killed = peer.kill();
      });
      await sync(node);
      await killed;
      expect(killed).toBeDefined();
      expect(await listedUris(node)).toEqual(before);
      expect(await statusOf(node, proxy.url)).toMatchObject({ state: 'failing', components: count });
      await sync(node);
      expect(await listedUris(node)).toEqual(before);

      await peer.restart();
      await sync(node);
      expect(await listedUris(node)).toEqual(await listedUris(peer));
      expect(await statusOf(node, proxy.url)).toMatchObject({ state: 'ok', components: count + MORE });
      await expectFollowing(node, proxy.url);
    },
  );

  /** Kills the node while it polls, starts it again, and expects that it has what it had, or all that is new. */
  async function expectAllOrNothing({ peer, node, proxy, count }: Awaited<ReturnType<typeof pairBehind>>) {
    await node.restart();
    const after = await listedUris(node);
    expect([count, count + MORE]).toContain(after.length);
    await sync(node);
    expect(await listedUris(node)).toEqual(await listedUris(peer));
    await expectFollowing(node, proxy.url);
  }

  test.each(PARTS)(
    'the node itself, after %f of it: it has the old state or the new one, and then the new one',
    async (part) => {
      const all = await pairBehind();
      let killed: Promise<void> | undefined;
      all.proxy.trap(Math.ceil(all.bytes * part), () => {
        killed = all.node.kill();
      });
      await expect(sync(all.node)).rejects.toThrow();
      await killed;
      await expectAllOrNothing(all);
    },
  );

  test.each(INSTANTS)('the node itself, %i ms after the last byte: the same', async (ms) => {
    const all = await pairBehind();
    const before = all.proxy.received;
    const polled = sync(all.node).catch(() => undefined);
    await waitFor(() => all.proxy.received - before > all.bytes * 0.95);
    await instant(ms);
    await all.node.kill();
    await polled;
    await expectAllOrNothing(all);
  });
});
