import type { PodOrder } from './pod-server.js';
import { load, type NodeProcess } from './processes.js';
import { queries } from './requests.js';
import type { Measured, Row } from './row.js';
import { ratios } from './statistics.js';
import { LARGEST_SOURCE, type Pod, rareShapes, type World } from './world.js';

/** A pod with a document of components, and a node that has it configured. */
interface Published {
  readonly pod: Pod;
  readonly node: NodeProcess;
}

async function publish(world: World, components: number): Promise<Published> {
  const pod = await world.pod();
  return { pod, node: await world.node(components, { pods: [pod.url] }) };
}

/** Puts so many components, none of the node's own, into the pod; says how long the node takes to follow, in ms. */
async function replace(
  world: World,
  { pod, node }: Published,
  releases: PodOrder['releases'],
): Promise<number> {
  const from = world.size.components;
  await pod.holds({ from, to: from + world.size.source, ...(releases ? { releases } : {}) });
  return node.sync(pod.url);
}

/** Requests per second: far from what the node can do, so that waiting in line is not what is measured. */
const RATE = 300;

export const WRITING: readonly Row[] = [
  {
    name: 'p99 of queries during a replacement',
    floor: 'p99 of the same load when idle',
    target: { most: 3 },
    meaning: `99th percentile of the latency of ${RATE} shape queries per second, while every component of a source is replaced`,
    async measure(world) {
      const { latencies } = await duringReplacement(world);
      return latencies;
    },
  },
  {
    name: 'longest event-loop stall during a replacement',
    floor: '–',
    target: { most: 50 },
    meaning:
      'from monitorEventLoopDelay of the node itself (its resolution of 10 ms is part of the figure), as /metrics tells it',
    async measure(world) {
      const { stalls } = await duringReplacement(world);
      return stalls;
    },
  },
  {
    name: 'replacing 5 % of a source',
    floor: 'replacing all of it',
    target: { most: 0.2 },
    meaning:
      'time until what a source says now is on disk (fsync) and served, once it has been read; whole polls, which fetch and parse the document to see what is new in it, stand beside it',
    async measure(world) {
      const { source } = world.size;
      const store = world.worker('store-writer.ts', [world.path('store')]);
      const published = await publish(world, 0);
      const figures = {
        'ms for 5 %': [] as number[],
        'ms for all': [] as number[],
        'ms for a poll with 5 %': [] as number[],
        'ms for a poll with all': [] as number[],
      };
      const write = (releases: PodOrder['releases']) =>
        store.ask<number>({ from: 0, to: source, ...(releases ? { releases } : {}) });
      await write(undefined);
      await replace(world, published, undefined);
      const rounds = Math.max(1, Math.ceil(world.size.rounds / 2));
      for (let round = 1; round <= rounds; round++) {
        const [all, some] = [0, 0.05].map((share) => ({ all: round, share, seed: 0 }));
        figures['ms for all'].push(await write(all));
        figures['ms for 5 %'].push(await write(some));
        figures['ms for a poll with all'].push(await replace(world, published, all));
        figures['ms for a poll with 5 %'].push(await replace(world, published, some));
      }
      await world.stopNode(published.node);
      store.stop();
      return { values: ratios(figures['ms for 5 %'], figures['ms for all']), unit: '× all', figures };
    },
  },
  {
    name: 'ingest of a document',
    floor: 'n3 parsing the same bytes as a stream',
    target: { most: 15 },
    meaning:
      'time of the first poll of a pod document with all components (100,000 at most), until everything is on disk and served',
    async measure(world) {
      const components = Math.min(world.size.components, LARGEST_SOURCE);
      const published = await publish(world, 0);
      const { pod, node } = published;
      await pod.holds({ from: 0, to: 1 });
      await node.sync(pod.url);
      const file = world.path('document.ttl');
      await pod.holds({ from: 0, to: components, file });
      const parser = world.worker('parse-floor.ts');
      const floors = [await parser.ask<{ ms: number }>({ file }), await parser.ask<{ ms: number }>({ file })];
      const ms = await node.sync(pod.url);
      const figures = {
        s: [ms / 1000],
        'floor s': floors.map((floor) => floor.ms / 1000),
        'highest memory MB': [node.memory().highest],
      };
      await world.stopNode(node);
      const floor = Math.min(...floors.map((one) => one.ms));
      return { values: [ms / floor], unit: '× the floor', figures };
    },
  },
];

const measured = new WeakMap<World, Promise<{ latencies: Measured; stalls: Measured }>>();

/** Two rows look at the same minutes. */
function duringReplacement(world: World) {
  const result = measured.get(world) ?? measureReplacement(world);
  measured.set(world, result);
  return result;
}

async function measureReplacement(world: World): Promise<{ latencies: Measured; stalls: Measured }> {
  const published = await publish(world, world.size.components);
  const { node, pod } = published;
  const requests = queries(rareShapes(world.size.components), true);
  const p99 = async (ms: number) =>
    (await load(world.client, { port: node.port, requests, connections: 8, ms, rate: RATE })).p99;
  await replace(world, published, undefined);
  await p99(world.size.roundMs);
  let pollMs = await replace(world, published, { all: 1, share: 0, seed: 0 });
  const figures = {
    'p99 ms': [] as number[],
    'idle p99 ms': [] as number[],
    'idle stall ms': [] as number[],
    'poll ms': [] as number[],
  };
  const stalls: number[] = [];
  const rounds = Math.max(1, Math.ceil(world.size.rounds / 2));
  for (let round = 2; round < rounds + 2; round++) {
    const from = world.size.components;
    await pod.holds({ from, to: from + world.size.source, releases: { all: round, share: 0, seed: 0 } });
    await longestStall(node);
    // As long as the poll will take, so that both percentiles stand on about as many requests.
    figures['idle p99 ms'].push(await p99(pollMs));
    figures['idle stall ms'].push(await longestStall(node));
    const polled = node.sync(pod.url);
    figures['p99 ms'].push(await p99(pollMs * 0.9));
    pollMs = await polled;
    figures['poll ms'].push(pollMs);
    stalls.push(await longestStall(node));
  }
  await world.stopNode(node);
  return {
    latencies: { values: ratios(figures['p99 ms'], figures['idle p99 ms']), unit: '× idle', figures },
    stalls: { values: stalls, unit: 'ms', figures: { 'idle stall ms': figures['idle stall ms'] } },
  };
}

/** Since it was asked for the last time, in ms. */
async function longestStall(node: NodeProcess): Promise<number> {
  return (await node.metric('nodejs_eventloop_lag_max_seconds')) * 1000;
}
