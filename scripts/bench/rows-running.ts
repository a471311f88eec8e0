import { spawnSync } from 'node:child_process';
import { setTimeout as later } from 'node:timers/promises';
import { load } from './processes.js';
import { queries } from './requests.js';
import type { Row } from './row.js';
import { spreadOf } from './statistics.js';
import { Wire } from './wire.js';
import { LARGEST_SOURCE, rareShapes, type World } from './world.js';

/** The issue gives two sizes; between them, and beyond, the larger one's limits hold. */
const large = (world: World) => world.size.components > 100_000;

export const RUNNING: readonly Row[] = [
  {
    name: 'start to the first answer',
    floor: '`node -e 0`',
    target: (world) => ({ most: large(world) ? 8 : 1 }),
    meaning:
      'from the start of the process until GET /component?limit=1 has been answered, with everything on disk already',
    async measure(world) {
      const figures = { 'node -e 0 s': [] as number[] };
      const values: number[] = [];
      const directory = await world.seeded(world.size.components);
      for (let round = 0; round < world.size.rounds; round++) {
        figures['node -e 0 s'].push(bareStart());
        const node = await world.startNode(directory);
        values.push(node.startMs / 1000);
        await world.stopNode(node);
      }
      return { values, unit: 's', figures };
    },
  },
  {
    name: 'resident memory',
    floor: '–',
    target: (world) => ({ most: large(world) ? 1600 : 300 }),
    meaning: 'VmRSS of the node, after a start, a full listing and ten thousands of queries',
    async measure(world) {
      const node = await world.startNode(await world.seeded(world.size.components));
      const started = node.memory().now;
      const requests = queries(rareShapes(world.size.components), true);
      await load(world.client, { port: node.port, requests, connections: 16, ms: world.size.roundMs });
      const { headers } = await fetch(`${node.url}/component`).then(async (response) => {
        for await (const _chunk of response.body ?? []);
        return response;
      });
      await later(world.size.roundMs);
      const values = [node.memory().now];
      await world.stopNode(node);
      const figures = {
        'right after the start MB': [started],
        'listing MB': [Number(headers.get('content-length')) / 1e6],
      };
      return { values, unit: 'MB', figures };
    },
  },
  {
    name: 'median latency of queries, ten times the components',
    floor: 'the same queries with a tenth of the components',
    target: { most: 2 },
    meaning: 'p50 of shape queries with 30 to 50 answers each, no two bodies alike, a few connections',
    async measure(world) {
      const figures = { 'p50 ms': [] as number[], 'p50 ms of a tenth': [] as number[] };
      const p50 = async (components: number) => {
        const node = await world.startNode(await world.seeded(components));
        const requests = queries(rareShapes(components), true);
        const order = { port: node.port, requests, connections: 2, ms: world.size.roundMs };
        await load(world.client, order);
        const medians: number[] = [];
        for (let round = 0; round < world.size.rounds; round++)
          medians.push((await load(world.client, order)).p50);
        await world.stopNode(node);
        return medians;
      };
      figures['p50 ms of a tenth'] = await p50(Math.ceil(world.size.components / 10));
      figures['p50 ms'] = await p50(world.size.components);
      const floor = spreadOf(figures['p50 ms of a tenth']).median;
      return { values: figures['p50 ms'].map((ms) => ms / floor), unit: '× a tenth', figures };
    },
  },
  {
    name: 'idle round with a peer',
    floor: '–',
    target: { most: 500 },
    meaning:
      'bytes on the wire, both ways and headers included, of a poll of a peer with all components (100,000 at most) in which nothing changed',
    async measure(world) {
      const components = Math.min(world.size.components, LARGEST_SOURCE);
      const peer = await world.startNode(await world.seeded(components), {
        baseUrl: 'http://peer.example',
      });
      const wire = await Wire.to(peer.port);
      const node = await world.node(0, { peers: [wire.url], discovery: { depth: 0 } });
      await node.sync(wire.url);
      const taken = await node.size();
      const values: number[] = [];
      for (let round = 0; round < world.size.rounds; round++) {
        const before = wire.bytes;
        await node.sync(wire.url);
        values.push(wire.bytes - before);
      }
      await world.stopNode(node);
      await world.stopNode(peer);
      wire.cut();
      return { values, unit: 'bytes', figures: { 'components taken from the peer': [taken] } };
    },
  },
  {
    name: '24 h of polls, compressed',
    floor: 'memory at the start, when a tenth of the polls are done',
    target: { most: 1.1 },
    meaning:
      'resident memory in the course of polls of a pod with 100 components of which one has changed each time; open handles may not grow at all',
    async measure(world) {
      const pod = await world.pod();
      const node = await world.node(0, { pods: [pod.url] });
      const memory: number[] = [];
      const handles: number[] = [];
      for (let poll = 1; poll <= world.size.polls; poll++) {
        await pod.holds({ from: 0, to: 100, releases: { all: 0, share: 0.01, seed: poll } });
        await node.sync(pod.url);
        if (poll % Math.max(1, Math.floor(world.size.polls / 100)) !== 0) continue;
        memory.push(node.memory().now);
        handles.push(node.handles());
        world.say(`poll ${poll} of ${world.size.polls}`);
      }
      await world.stopNode(node);
      const tenth = Math.ceil(memory.length / 10);
      const [start, end] = [
        spreadOf(memory.slice(tenth, 2 * tenth)).median,
        spreadOf(memory.slice(-tenth)).median,
      ];
      const grown = Math.max(...handles.slice(-tenth)) - Math.max(...handles.slice(0, 2 * tenth));
      const figures = {
        'MB at the start': [start],
        'MB at the end': [end],
        'handles more': [grown],
        polls: [world.size.polls],
      };
      return { values: [grown > 0 ? Number.POSITIVE_INFINITY : end / start], unit: '× the start', figures };
    },
  },
];

function bareStart(): number {
  const started = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return (performance.now() - started) / 1000;
}
