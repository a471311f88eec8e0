import { Database, memoryUnderLoad } from './database.js';
import type { WriteOrder } from './engine-writer.js';
import type { LoadOrder, LoadResult } from './load-client.js';
import type { NodeProcess } from './processes.js';
import { queries } from './requests.js';
import type { Measured, Row } from './row.js';
import { ratios } from './statistics.js';
import { LARGEST_SOURCE, rareShapes, type World } from './world.js';

/** Requests under way at the node. */
const CONNECTIONS = 8;
/** Different bodies that are repeated, at most. */
const REPEATED = 200;
/** Components of the source of which some change, and how many of them do. */
const DELTA = { source: 10_000, changed: 50 } as const;

/** Components that are posted one by one. */
const POSTS = 60;

/** The rows of `npm run bench -- --engine postgres`. */
export const POSTGRES: readonly Row[] = [
  {
    name: 'postgres: shape query',
    floor: 'a node with the disk engine',
    target: { least: 0.9 },
    meaning: 'requests/s of POST /component/query for one shape (30–50 components each), no two bodies alike',
    measure: (world) => besideDisk(world, (components) => queries(rareShapes(components), true)),
  },
  {
    name: 'postgres: repeated queries',
    floor: 'a node with the disk engine',
    target: { least: 0.9 },
    meaning: `requests/s of ${REPEATED} queries over and over: from the cache of answers`,
    measure: (world) =>
      besideDisk(world, (components) => queries(rareShapes(components).slice(0, REPEATED), false)),
  },
  {
    name: 'postgres: 50 changes in a source of 10,000, handed over alone',
    floor: '–',
    target: { most: 50 },
    meaning: 'time until they are in the database and served, when only they are handed over, as from a feed',
    measure: (world) => deltas(world, true),
  },
  {
    name: 'postgres: 50 changes in a source of 10,000, whole document',
    floor: '–',
    target: { most: 50 },
    meaning: 'the same, when all that the document says is handed over, as after a pod was read',
    measure: (world) => deltas(world, false),
  },
  {
    name: 'postgres: a write at one node → at the other',
    floor: '–',
    target: { most: 1 },
    meaning: `the longest of ${POSTS} times from the acknowledgement until the other node answers with the same state`,
    measure: news,
  },
  {
    name: 'postgres: ingest',
    floor: 'the disk engine',
    target: { most: 2 },
    meaning:
      'time until a document of so many components (100,000 at most) is stored and served, once it has been read',
    measure: ingest,
  },
  {
    name: 'postgres: resident memory',
    floor: '–',
    target: { most: 2_000 },
    meaning: 'of a node that has answered pages and searches',
    measure: async (world) => {
      const [node] = await Database.of(world).nodes();
      return { values: [await memoryUnderLoad(node, world.size.components)], unit: 'MB', figures: {} };
    },
  },
];

function rate({ requests, seconds, failed }: LoadResult): number {
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`);
  return requests / seconds;
}

/** Questions of the same kind, asked of a node on the database and of one on disk; answers are of the same size. */
async function besideDisk(
  world: World,
  requestsFor: (components: number) => LoadOrder['requests'],
): Promise<Measured> {
  const [node] = await Database.of(world).nodes();
  const components = Math.min(world.size.components, LARGEST_SOURCE);
  const disk = await world.node(components, { write: 'open' });
  const figures = { 'requests/s': [] as number[], 'disk engine requests/s': [] as number[] };
  const asked = async ({ port }: NodeProcess, all: number) => {
    const order = { requests: requestsFor(all), connections: CONNECTIONS, ms: world.size.roundMs, port };
    return rate(await world.client.ask<LoadResult>(order satisfies LoadOrder));
  };
  for (let round = -1; round < world.size.rounds; round++) {
    const floor = await asked(disk, components);
    const reached = await asked(node, world.size.components);
    // The first round only warms up.
    if (round < 0) continue;
    figures['disk engine requests/s'].push(floor);
    figures['requests/s'].push(reached);
  }
  await world.stopNode(disk);
  return {
    values: ratios(figures['requests/s'], figures['disk engine requests/s']),
    unit: '× the disk engine',
    figures,
  };
}

async function deltas(world: World, amend: boolean): Promise<Measured> {
  const database = Database.of(world);
  const url = await database.seeded();
  const writer = database.writer(url);
  const { components: from, rounds } = world.size;
  const pod = `http://delta-${amend ? 'alone' : 'whole'}.example/`;
  const source = { pod, from, to: from + Math.min(DELTA.source, from) };
  const every = (source.to - source.from) / DELTA.changed;
  await writer.ask<number>(source satisfies WriteOrder);
  const values: number[] = [];
  for (let round = 0; round <= rounds * 3; round++) {
    const order = { ...source, changed: { every, round }, amend };
    values.push(await writer.ask<number>(order satisfies WriteOrder));
  }
  writer.stop();
  // The first time only warms up.
  return { values: values.slice(1), unit: 'ms', figures: {} };
}

async function ingest(world: World): Promise<Measured> {
  const to = Math.min(world.size.components, LARGEST_SOURCE);
  const order: WriteOrder = { pod: 'http://ingest.example/', from: 0, to };
  const database = Database.of(world);
  const figures = { s: [] as number[], 'disk engine s': [] as number[] };
  for (let round = 0; round < Math.ceil(world.size.rounds / 3); round++) {
    const disk = world.worker('engine-writer.ts', ['disk', world.path('ingest')]);
    const writer = database.writer(await database.empty());
    figures['disk engine s'].push((await disk.ask<number>(order)) / 1000);
    figures.s.push((await writer.ask<number>(order)) / 1000);
    disk.stop();
    writer.stop();
  }
  return { values: ratios(figures.s, figures['disk engine s']), unit: '× the disk engine', figures };
}

/** Posts at one node, each of which is looked for at the other until it is in its answers. */
async function news(world: World): Promise<Measured> {
  const [one, other] = await Database.of(world).nodes();
  const s: number[] = [];
  for (let round = 0; round <= POSTS; round++) {
    const uri = `https://news.example/${performance.timeOrigin}-${round}.js`;
    const body = JSON.stringify({ uri, label: 'News' });
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(`${one.url}/component`, { method: 'POST', headers, body });
    if (!posted.ok) throw new Error(`the post was answered ${posted.status}: ${await posted.text()}`);
    await posted.text();
    const acknowledged = performance.now();
    const cursor = await cursorAt(one);
    while ((await cursorAt(other)) !== cursor) {
      // It is asked again at once.
    }
    s.push((performance.now() - acknowledged) / 1000);
  }
  return { values: [Math.max(...s.slice(1))], unit: 's', figures: { 'median s': s.slice(1) } };
}

/** The state of which a node tells with its answers. */
async function cursorAt({ url }: NodeProcess): Promise<string | null> {
  const answer = await fetch(`${url}/component?limit=1`);
  await answer.text();
  return answer.headers.get('feed-cursor');
}
