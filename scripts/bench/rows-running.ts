import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { installPodServer } from '../../test/support/install-packages.js';
import { PodServer } from '../../test/support/pod/pod-server.js';
import { TcpProxy } from '../../test/support/proxy/tcp-proxy.js';
import { waitFor } from '../../test/support/wait-for.js';
import { load, pacedP99 } from './load.js';
import type { NodeProcess } from './node-process.js';
import { type Figures, type Goal, type Row, ratios } from './row.js';
import { rareShapes, sampleComponent } from './sample-data.js';
import type { PodOrder } from './servers.js';
import type { World } from './world.js';
import type { WriteOrder } from './writer.js';

/** Requests per second that meet a replacement: far from what a node can do, so that no waiting in line is measured. */
const RATE = 300;
/** Components of one source, at most: a document is one string, and no string is longer than half a gigabyte. */
const LARGEST_SOURCE = 100_000;
const SOURCE = 'components.ttl';

/** The goal for 100,000 components, for 300,000 and for more. */
const bySize =
  (small: number, middle: number, large: number) =>
  (components: number): Goal => {
    if (components <= 100_000) return { most: small };
    return { most: components <= 300_000 ? middle : large };
  };

export const RUNNING: readonly Row[] = [
  {
    name: 'p99 during a replacement',
    meaning: `99th percentile of ${RATE} shape queries a second while a source of 10,000 is replaced ÷ idle`,
    unit: '×',
    goal: { most: 3 },
    measure: async (world) => (await duringReplacement(world)).p99,
  },
  {
    name: 'stall during a replacement',
    meaning: 'the longest time that the event loop is busy meanwhile; its resolution of 10 ms is part of it',
    unit: 'ms',
    goal: { most: 30 },
    measure: async (world) => (await duringReplacement(world)).stall,
  },
  {
    name: '5 % of a source',
    meaning: 'time until 5 % of a source are replaced, stored and served, once read ÷ all of it',
    unit: '×',
    goal: { most: 0.15 },
    measure: async (world) => {
      const writer = await world.writer();
      const behind = { 'ms for 5 %': [] as number[], 'ms for all': [] as number[] };
      const replace = (all: number, share: number) =>
        writer.ask<number>({
          ...{ what: 'replace', to: world.size.source },
          releases: { all, share, seed: 0 },
        } satisfies WriteOrder);
      await replace(0, 0);
      for (let round = 1; round <= world.size.rounds; round++) {
        behind['ms for all'].push(await replace(round, 0));
        behind['ms for 5 %'].push(await replace(round, 0.05));
      }
      writer.stop();
      return { values: ratios(behind['ms for 5 %'], behind['ms for all']), behind };
    },
  },
  {
    name: 'ingest',
    meaning: 'the first poll of a pod with all components (100,000 at most), fsync included ÷ n3 parsing it',
    unit: '×',
    goal: { most: 9 },
    measure: async (world) => {
      const to = Math.min(world.size.components, LARGEST_SOURCE);
      const file = world.path('document.ttl');
      const pod = `${await world.serversUrl({ from: 0, to, file })}/${SOURCE}`;
      const writer = await world.writer();
      const parse = () => writer.ask<number>({ what: 'parse', file } satisfies WriteOrder);
      const floors = [await parse(), await parse()];
      writer.stop();
      const node = await world.node(0, { pods: [pod] });
      const ms = await node.sync(pod);
      await world.stop(node);
      return {
        values: [ms / Math.min(...floors)],
        behind: { s: [ms / 1000], 'floor s': floors.map((one) => one / 1000) },
      };
    },
  },
  {
    name: 'start',
    meaning: 'from the start of the process until GET /component?limit=1 has been answered',
    unit: 's',
    goal: bySize(0.7, 2, 7),
    measure: (world) => starts(world),
  },
  {
    name: 'start after SIGKILL',
    meaning: 'the same, when the process before was killed',
    unit: 's',
    goal: bySize(0.7, 2, 7),
    measure: (world) => starts(world, 'SIGKILL'),
  },
  {
    name: 'memory',
    meaning: 'resident, after a start, ten thousands of queries and a listing',
    unit: 'MB',
    goal: bySize(260, 650, 1800),
    measure: async (world) => {
      const node = await world.start(await world.seed(world.size.components));
      const started = node.memory();
      await load({ ...shapeQueries(node, world), connections: 16, ms: world.size.roundMs });
      await (await fetch(`${node.url}/component`)).body?.pipeTo(new WritableStream());
      await later(world.size.roundMs);
      const values = [node.memory()];
      await world.stop(node);
      return { values, behind: { 'right after the start': [started] } };
    },
  },
  {
    name: 'empty node',
    meaning: 'processor time until a node without components listens',
    unit: 's',
    goal: { most: 0.4 },
    measure: async (world) => {
      const values: number[] = [];
      for (let round = 0; round < world.size.rounds; round++) {
        const node = await world.node(0);
        values.push(node.cpu());
        await world.stop(node);
      }
      return { values };
    },
  },
  {
    name: 'idle round with a peer',
    meaning: 'bytes both ways, headers included, of a poll in which nothing changed',
    unit: 'bytes',
    goal: { most: 500 },
    measure: async (world) => (await following(world)).idle,
  },
  {
    name: 'one change of a peer',
    meaning: 'bytes both ways of a poll in which one component (of 100,000 at most) has changed',
    unit: 'bytes',
    goal: { most: 2500 },
    measure: async (world) => (await following(world)).change,
  },
  {
    name: 'an edit in a pod',
    meaning: 'from the answer to PUT (Community Solid Server) until a node serves it: 95th percentile',
    unit: 's',
    goal: { most: 2 },
    measure: edits,
  },
];

function shapeQueries({ url }: NodeProcess, { size }: World) {
  const headers = { 'content-type': 'application/json' };
  const requests = rareShapes(size.components).map((shape) => ({
    ...{ method: 'POST' as const, path: '/component/query', headers },
    body: JSON.stringify({ shapes: shape }),
  }));
  return { url, requests };
}

async function starts(world: World, signal?: 'SIGKILL'): Promise<Figures> {
  const data = await world.seed(world.size.components);
  const behind = { 'node -e 0': [] as number[] };
  const values: number[] = [];
  for (let round = 0; round <= world.size.rounds; round++) {
    const begun = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    behind['node -e 0'].push((performance.now() - begun) / 1000);
    const node = await world.start(data);
    // The first one only leaves what the next one begins with.
    if (round > 0) values.push(node.startMs / 1000);
    await world.stop(node, signal);
  }
  return { values, behind };
}

/** Measures once what two rows tell. */
function once<T>(measure: (world: World) => Promise<T>): (world: World) => Promise<T> {
  const measured = new WeakMap<World, Promise<T>>();
  return (world) => {
    const result = measured.get(world) ?? measure(world);
    measured.set(world, result);
    return result;
  };
}

const duringReplacement = once(async (world) => {
  const { components, source, rounds } = world.size;
  const hold = async (all: number) => {
    const order: PodOrder = {
      from: components,
      to: components + source,
      releases: { all, share: 0, seed: 0 },
    };
    return `${await world.serversUrl(order)}/${SOURCE}`;
  };
  const pod = await hold(0);
  const node = await world.node(components, { pods: [pod] });
  const queries = shapeQueries(node, world);
  const p99 = (ms: number) => pacedP99({ ...queries, ms }, RATE);
  await node.sync(pod);
  await hold(1);
  let pollMs = await node.sync(pod);
  const behind = { 'p99 ms': [] as number[], 'idle p99 ms': [] as number[], 'poll ms': [] as number[] };
  const stalls: number[] = [];
  for (let round = 2; round < rounds + 2; round++) {
    await hold(round);
    // As long as the poll will take, so that both percentiles stand on about as many requests.
    behind['idle p99 ms'].push(await p99(pollMs));
    await node.longestStall();
    const polled = node.sync(pod);
    behind['p99 ms'].push(await p99(pollMs * 0.9));
    pollMs = await polled;
    behind['poll ms'].push(pollMs);
    stalls.push(await node.longestStall());
  }
  await world.stop(node);
  return {
    p99: { values: ratios(behind['p99 ms'], behind['idle p99 ms']), behind },
    stall: { values: stalls },
  };
});

const following = once(async (world) => {
  const components = Math.min(world.size.components, LARGEST_SOURCE);
  const peer = await world.node(components);
  const wire = new TcpProxy();
  await wire.open();
  wire.forwardTo(peer.url);
  const node = await world.node(0, { peers: [wire.url], discovery: { depth: 0 } });
  await node.sync(wire.url);
  const bytesOfPoll = async () => {
    const before = wire.sent + wire.received;
    await node.sync(wire.url);
    return wire.sent + wire.received - before;
  };
  const [idle, change]: number[][] = [[], []];
  for (let round = 0; round < world.size.rounds; round++) {
    idle?.push(await bytesOfPoll());
    await peer.post({ ...sampleComponent(0), label: `Changed ${round} times` });
    change?.push(await bytesOfPoll());
  }
  await world.stop(node);
  await world.stop(peer);
  await wire.close();
  return { idle: { values: idle ?? [] }, change: { values: change ?? [] } };
});

/** Each piece of news once the one before it is old, and at another moment of a second each time. */
async function edits(world: World): Promise<Figures> {
  world.say('starting a pod server');
  await installPodServer();
  const directory = world.path('pods');
  mkdirSync(directory);
  const pods = new PodServer(directory);
  await pods.start(['author']);
  const [container, uri] = ['author/components/', 'https://components.example.org/news.js'];
  const put = (label: string) => {
    const voc = 'http://semcom.digita.ai/voc#';
    return pods.put(
      `${container}news.ttl`,
      `<${uri}> a <${voc}component>; <${voc}label> "${label}".`,
      'text/turtle',
    );
  };
  await put('News');
  await pods.makePublic(container);
  const node = await world.node(0, { sync: {}, pods: [pods.url + container] });
  const isServed = async (label: string) => {
    const answer = await fetch(`${node.url}/c/${encodeURIComponent(uri)}`);
    return ((await answer.json()) as { label?: string }).label === label;
  };
  const seconds: number[] = [];
  const pieces = world.size.rounds > 1 ? 60 : 2;
  // The first one waits until streams are open.
  for (let i = 0; i <= pieces; i++) {
    const label = `News ${i}`;
    await put(label);
    const told = performance.now();
    await waitFor(() => isServed(label), { timeoutMs: 60_000, describe: label });
    if (i > 0) seconds.push((performance.now() - told) / 1000);
    await later(pieces > 2 ? 1000 + ((i * 137) % 1000) : 100);
  }
  await world.stop(node);
  await pods.kill();
  seconds.sort((one, other) => one - other);
  const p95 = seconds[Math.ceil(0.95 * seconds.length) - 1] ?? Number.NaN;
  return { values: [p95], behind: { 'all seconds': seconds } };
}
