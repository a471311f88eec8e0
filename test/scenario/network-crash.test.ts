import { describe, expect, test } from 'vitest';
import { countingProxy } from '../support/counting-proxy.js';
import { heldPort } from '../support/held-port.js';
import { type NodeProcess, startNode } from '../support/node-process.js';
import { listedUris, OPERATOR_TOKEN, statusOf, sync } from '../support/node-reader.js';
import { seededRandom } from '../support/seeded-random.js';
import { rounds, seed } from '../support/torture.js';

const ON_DEMAND = { schedule: '0 0 1 1 *' };
const COUNT = 2_000;

const random = seededRandom(seed);
/** Bytes of an answer after which one side is killed: in the middle of a listing, wherever that is. */
const AFTER = Array.from({ length: rounds({ short: 1, full: 25 }) }, (_, round) =>
  round === 0 ? 300_000 : Math.round(20_000 + random() * 280_000),
);

async function publish(node: NodeProcess, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 1000) {
    const batch = Array.from({ length: Math.min(1000, from + count - at) }, (_, i) => ({
      uri: `https://c.example/${String(at + i).padStart(6, '0')}.js`,
      label: `Component ${at + i}`,
    }));
    const response = await fetch(`${node.url}/component`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: JSON.stringify(batch),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

/** A node with components, and one that polls it by way of a proxy; both are processes of their own. */
async function pair() {
  const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
  // Known to the proxy by its port, which it has again after a restart.
  const listen = { port: await heldPort() };
  const peer = await startNode({ config: { write: 'operator', sync: ON_DEMAND, listen }, env });
  await publish(peer, 0, COUNT);
  const proxy = await countingProxy();
  proxy.forwardTo(peer.url);
  const node = await startNode({ config: { peers: [proxy.url], sync: ON_DEMAND }, env });
  await sync(node);
  return { peer, node, proxy };
}

describe(`a process killed in the middle of a poll (seed ${seed})`, () => {
  test.each(AFTER)(
    'the peer, after %i bytes: nothing is lost, and what it says is taken when it is back',
    async (bytes) => {
      const { peer, node, proxy } = await pair();
      const before = await listedUris(node);
      expect(before).toHaveLength(COUNT);
      await publish(peer, COUNT, 500);
      let killed: Promise<void> | undefined;
      proxy.trap(bytes, () => {
        killed = peer.kill();
      });
      await sync(node);
      await killed;
      expect(killed).toBeDefined();
      expect(await listedUris(node)).toEqual(before);
      expect(await statusOf(node, proxy.url)).toMatchObject({ state: 'failing', components: COUNT });
      await sync(node);
      expect(await listedUris(node)).toEqual(before);

      await peer.restart();
      await sync(node);
      expect(await listedUris(node)).toEqual(await listedUris(peer));
      expect(await statusOf(node, proxy.url)).toMatchObject({ state: 'ok', components: COUNT + 500 });
    },
  );

  test.each(AFTER)(
    'the node itself, after %i bytes: it has the old state or the new one, and then the new one',
    async (bytes) => {
      const { peer, node, proxy } = await pair();
      const before = await listedUris(node);
      await publish(peer, COUNT, 500);
      let killed: Promise<void> | undefined;
      proxy.trap(bytes, () => {
        killed = node.kill();
      });
      await expect(sync(node)).rejects.toThrow();
      await killed;
      await node.restart();
      const after = await listedUris(node);
      expect([before.length, COUNT + 500]).toContain(after.length);
      await sync(node);
      expect(await listedUris(node)).toEqual(await listedUris(peer));
    },
  );
});
