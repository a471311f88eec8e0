import { describe, expect, it } from 'vitest';
import { LIE, lieAbout } from '../../../scripts/simulate/faults/readers.js';
import type { SimulatedNode } from '../../../scripts/simulate/nodes/simulated-node.js';
import { DEFAULTS } from '../../../scripts/simulate/options.js';
import { World } from '../../../scripts/simulate/world/world.js';
import { inOrderFor } from '../../../src/sync/relay/rendezvous.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LONGEST_MS = 60_000;

const SILENT = { dialled: () => undefined, exchanged: () => undefined, carried: () => undefined };

/** A network in which all know one another, after it has come to rest. One operator has configured the pod. */
async function settled(nodes: number, seed: number) {
  const world = new World({
    ...{ ...DEFAULTS, nodes, seed, pods: 1, components: 2, degree: nodes - 1 },
    ...{
      config: { discovery: { relay: true }, sync: { streams: 0 } },
      observer: SILENT,
      hasSlowDisks: false,
    },
    intervalMinutes: 10,
  });
  await world.furnish();
  for (const node of world.nodes) await node.start();
  await pass(world, 3 * HOUR);
  const [pod] = world.pods;
  if (!pod) throw new Error('there is no pod');
  return { world, pod };
}

async function pass(world: World, ms: number): Promise<void> {
  await world.time.runUntil(world.time.now + ms);
}

type Settled = Awaited<ReturnType<typeof settled>>;

/** The nodes that leave the pod to others, and those that they take it from, the first one first. */
function rolesIn({ world, pod }: Settled) {
  const recordOf = (node: SimulatedNode) => node.data.sources.get(`pod ${pod.url}`)?.record;
  const left = world.nodes.filter((node) => recordOf(node)?.observed === undefined);
  const order = inOrderFor(
    pod.url,
    world.nodes.filter((node) => !left.includes(node)).map(({ url }) => url),
  );
  const readers = order.flatMap((url) => world.nodes.filter((node) => node.url === url));
  return { left, readers };
}

/** For how long each node says what is not so, at a stretch, while others lie for so many hours; the longest, in ms. */
async function longestLie({ world, pod }: Settled, among: readonly SimulatedNode[], hours: number) {
  const since = new Map<SimulatedNode, number>();
  let longest = 0;
  let times = 0;
  for (const end = world.time.now + hours * HOUR; world.time.now < end; ) {
    await pass(world, MINUTE);
    for (const node of among) {
      if (!lies(node, pod.url)) since.delete(node);
      else {
        if (!since.has(node)) times += 1;
        since.set(node, since.get(node) ?? world.time.now);
        longest = Math.max(longest, world.time.now - (since.get(node) ?? 0));
      }
    }
  }
  return { longest, times };
}

function lies(node: SimulatedNode, pod: string): boolean {
  const documents = [...(node.data.sources.get(`pod ${pod}`)?.documents.values() ?? [])];
  return documents.some(({ components }) =>
    [...components.values()].some(({ metadata }) => metadata.label === LIE),
  );
}

describe('who reads a pod for others', () => {
  it(
    'and lies about it is found out by the other reader, and is not believed any more',
    async () => {
      const network = await settled(4, 1);
      const { left, readers } = rolesIn(network);
      expect(left.length).toBeGreaterThan(0);
      const end = await lieAbout(network.world, network.pod, readers.slice(0, 1));
      const { longest, times } = await longestLie(network, left, 2);
      expect(times).toBe(left.length);
      expect(longest).toBeLessThan(HOUR);
      end();
    },
    LONGEST_MS,
  );

  it(
    'and lies about it together with the other one is believed for a day at most',
    async () => {
      const network = await settled(4, 2);
      const { left, readers } = rolesIn(network);
      expect(left.length).toBeGreaterThan(0);
      const end = await lieAbout(network.world, network.pod, readers);
      const { longest, times } = await longestLie(network, left, 25);
      expect(times).toBe(left.length);
      expect(longest).toBeLessThanOrEqual(24 * HOUR);
      end();
      await pass(network.world, 3 * HOUR);
      for (const node of network.world.nodes) expect(lies(node, network.pod.url)).toBe(false);
    },
    LONGEST_MS,
  );
});
