import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as later } from 'node:timers/promises';
import { StreamParser } from 'n3';
import { load, pacedP99 } from './load.js';
import { type Figures, type Row, ratios } from './row.js';
import { queries } from './rows-reading.js';
import type { World } from './world.js';

/** Requests per second that meet a replacement: far from what a node can do, so that no waiting in line is measured. */
const RATE = 300;
/** Components of one source, at most: a document is one string, and no string is longer than half a gigabyte. */
const LARGEST_SOURCE = 100_000;
const SOURCE = 'components.ttl';

/** The goal for 100,000 components, for 300,000 and for more. */
const bySize = (unit: string, small: number, middle: number, large: number) => (components: number) =>
  `≤ ${components <= 100_000 ? small : components <= 300_000 ? middle : large} ${unit}`;

export const RUNNING: readonly Row[] = [
  {
    name: 'p99 during a replacement',
    meaning: `99th percentile of ${RATE} shape queries a second while a source of 10,000 is replaced ÷ idle`,
    goal: '≤ 3 ×',
    measure: async (world) => (await duringReplacement(world)).p99,
  },
  {
    name: 'stall during a replacement',
    meaning: 'the longest time that the event loop is busy meanwhile; its resolution of 10 ms is part of it',
    goal: '≤ 30 ms',
    measure: async (world) => (await duringReplacement(world)).stall,
  },
  {
    name: 'ingest',
    meaning: 'the first poll of a pod with all components (100,000 at most), fsync included ÷ n3 parsing it',
    goal: '≤ 9 ×',
    measure: async (world) => {
      const to = Math.min(world.size.components, LARGEST_SOURCE);
      const file = world.path('document.ttl');
      const pod = `${await world.serversUrl({ from: 0, to, file })}/${SOURCE}`;
      const floors = [await parsing(file), await parsing(file)];
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
    goal: bySize('s', 0.7, 2, 7),
    measure: starts,
  },
  {
    name: 'memory',
    meaning: 'resident, after a start, ten thousands of queries and a listing',
    goal: bySize('MB', 260, 650, 1800),
    measure: async (world) => {
      const node = await world.start(await world.seed(world.size.components));
      const started = node.memory();
      await load({ url: node.url, requests: queries(world), connections: 16, ms: world.size.roundMs });
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
    goal: '≤ 0.4 s',
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
];

/** How long n3 alone needs to parse a file, in ms. */
async function parsing(file: string): Promise<number> {
  const started = performance.now();
  const parser = new StreamParser({ format: 'text/turtle', baseIRI: 'http://pod.example/' });
  await pipeline(createReadStream(file), parser, async (quads) => {
    for await (const _quad of quads);
  });
  return performance.now() - started;
}

async function starts(world: World): Promise<Figures> {
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
    await world.stop(node);
  }
  return { values, behind };
}

/** What two rows tell, measured once. */
function duringReplacement(world: World): Promise<Record<'p99' | 'stall', Figures>> {
  return world.once('a replacement', () => measureReplacement(world));
}

async function measureReplacement(world: World) {
  const { components, source, rounds } = world.size;
  /** The pod holds this release from now on. */
  const hold = async (release: number) =>
    `${await world.serversUrl({ from: components, to: components + source, release })}/${SOURCE}`;
  const pod = await hold(0);
  const node = await world.node(components, { pods: [pod] });
  const asked = { url: node.url, requests: queries(world) };
  const p99 = (ms: number) => pacedP99({ ...asked, ms }, RATE);
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
}
