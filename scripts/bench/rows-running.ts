import { pipeline } from 'node:stream/promises';
import { setTimeout as later } from 'node:timers/promises';
import { StreamParser } from 'n3';
import { publish } from '../../test/support/node/node-reader.js';
import { longestStallMs, memoryMb, pollMs, processorSeconds } from './figures.js';
import { load, pacedP99 } from './load.js';
import type { Row } from './row.js';
import { CHANGED, queries } from './rows-reading.js';
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
      const pod = `${await world.serversUrl({ from: 0, to })}/${SOURCE}`;
      const floors = [await parsing(pod), await parsing(pod)];
      const node = await world.node(0, { pods: [pod] });
      const ms = await pollMs(node, pod);
      await node.stop();
      return [ms / Math.min(...floors)];
    },
  },
  {
    name: 'start',
    meaning:
      'from the start of the process, after SIGKILL right behind a change, until GET /component?limit=1 has been answered',
    goal: bySize('s', 0.7, 2, 7),
    measure: starts,
  },
  {
    name: 'memory',
    meaning: 'resident, after a start, ten thousands of queries and a listing',
    goal: bySize('MB', 260, 650, 1800),
    measure: async (world) => {
      const node = await world.start(await world.seed(world.size.components));
      await load({ url: node.url, requests: queries(world), connections: 16, ms: world.size.roundMs });
      await (await fetch(`${node.url}/component`)).body?.pipeTo(new WritableStream());
      await later(world.size.roundMs);
      const values = [await memoryMb(node)];
      await node.stop();
      return values;
    },
  },
  {
    name: 'empty node',
    meaning: 'processor time until a node without components listens',
    goal: '≤ 0.4 s',
    measure: (world) =>
      world.rounds(async () => {
        const node = await world.node(0);
        const seconds = processorSeconds(node);
        await node.stop();
        return seconds;
      }),
  },
];

/** How long n3 alone needs to parse a document, in ms. */
async function parsing(url: string): Promise<number> {
  const document = await (await fetch(url)).blob();
  const started = performance.now();
  const parser = new StreamParser({ format: 'text/turtle', baseIRI: url });
  await pipeline(document.stream(), parser, async (quads) => {
    for await (const _quad of quads);
  });
  return performance.now() - started;
}

async function starts(world: World): Promise<number[]> {
  const data = await world.seed(world.size.components);
  const start = async () => {
    const began = performance.now();
    const node = await world.start(data);
    const ms = performance.now() - began;
    await publish(node, { uri: CHANGED, label: `${began}` });
    await node.kill();
    return ms / 1000;
  };
  // The first one only leaves what the next one begins with.
  await start();
  return world.rounds(start);
}

/** What two rows tell, measured once. */
function duringReplacement(world: World): Promise<Record<'p99' | 'stall', number[]>> {
  return world.once('a replacement', () => measureReplacement(world));
}

async function measureReplacement(world: World) {
  const { components, source } = world.size;
  /** The pod holds this release from now on. */
  const hold = async (release: number) =>
    `${await world.serversUrl({ from: components, to: components + source, release })}/${SOURCE}`;
  const pod = await hold(0);
  const node = await world.node(components, { pods: [pod] });
  const asked = { url: node.url, requests: queries(world) };
  const latency = (ms: number) => pacedP99({ ...asked, ms }, RATE);
  await pollMs(node, pod);
  await hold(1);
  let expectedMs = await pollMs(node, pod);
  const stall: number[] = [];
  const p99 = await world.rounds(async (round) => {
    await hold(round + 2);
    // As long as the poll will take, so that both percentiles stand on about as many requests.
    const idle = await latency(expectedMs);
    await longestStallMs(node);
    const polled = pollMs(node, pod);
    const busy = await latency(expectedMs * 0.9);
    expectedMs = await polled;
    stall.push(await longestStallMs(node));
    return busy / idle;
  });
  await node.stop();
  return { p99, stall };
}
