import { setTimeout as instant } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import {
  listing,
  OPERATOR_TOKEN,
  publishMany,
  statusOf,
  sync,
  unpublish,
} from '../support/node/node-reader.js';
import { countingProxy } from '../support/proxy/counting-proxy.js';
import { seededRandom } from '../support/seeded-random.js';
import { inTorture, rounds, seed } from '../support/torture.js';

const ROUNDS = rounds({ short: 2, full: 1000 });
const COUNT = inTorture ? 1_500 : 500;
const ON_DEMAND = { schedule: '0 0 1 1 *', streams: 0 };
/** Bytes of an answer after which one side is killed, at most: about what the changes of a round come to. */
const BYTES = 20_000;
/** Time after the beginning of a poll after which one side is killed, at most, in ms. */
const TIME = 400;

const random = seededRandom(seed);
const below = (most: number) => Math.floor(random() * most);

/** What it serves, without what differs from node to node. */
async function said(node: NodeProcess): Promise<string[]> {
  return (await listing(node)).components.map(({ uri, label }) => `${uri} ${label}`);
}

/** Changes some of what the peer says: updates that lie together, some that are new, and a few that go. */
async function changeSome(peer: NodeProcess, round: number): Promise<void> {
  await publishMany(peer, below(COUNT), 1 + below(400), `Round ${round}`);
  for (let i = 0; i < 3; i++) await unpublish(peer, below(COUNT));
}

test(
  `whichever of two nodes is killed at whatever moment, the reader has what its peer said before or says now: ${ROUNDS} times (seed ${seed})`,
  async () => {
    const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const peer = await startNode({
      config: { write: 'operator', sync: ON_DEMAND, listen: { port: await heldPort() } },
      env,
    });
    await publishMany(peer, 0, COUNT);
    const proxy = await countingProxy();
    proxy.forwardTo(peer.url);
    const node = await startNode({ config: { peers: [proxy.url], sync: ON_DEMAND }, env });
    await sync(node);
    for (let round = 1; round <= ROUNDS; round++) {
      const before = await said(node);
      await changeSome(peer, round);
      const after = await said(peer);
      const victim = random() < 0.5 ? peer : node;
      let killed: Promise<void> | undefined;
      const kill = () => {
        killed ??= victim.kill();
      };
      if (random() < 0.5) proxy.trap(1 + below(BYTES), kill);
      else void instant(random() * TIME).then(kill);
      await sync(node).catch(() => undefined);
      kill();
      await killed;
      proxy.trap(Number.POSITIVE_INFINITY, kill);
      await victim.restart();
      expect([before, after], `what the reader has in round ${round}`).toContainEqual(await said(node));
      await sync(node);
      expect(await said(node), `what the reader has after round ${round}`).toEqual(after);
      const { following, error } = await statusOf(node, proxy.url);
      expect([following, error]).toMatchObject([{ by: 'feed' }, undefined]);
    }
  },
  60_000 + ROUNDS * 30_000,
);
