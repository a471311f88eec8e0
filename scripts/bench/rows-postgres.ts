import { Database } from './database.js';
import type { WriteOrder } from './engine-writer.js';
import type { LoadOrder, LoadResult } from './load-client.js';
import type { NodeProcess, Worker } from './processes.js';
import { queries } from './requests.js';
import type { Measured, Row } from './row.js';
import { sampleComponent } from './sample-data.js';
import type { SqlOrder } from './sql-client.js';
import { ratios } from './statistics.js';
import { LARGEST_SOURCE, rareShapes, type World } from './world.js';

/** Requests under way at each node. */
const CONNECTIONS = 8;
/**
 * Requests per second that are asked for: more than any server answers. A client with a rate sleeps while it waits; one
 * without keeps a core busy, which the server needs that is measured here, and the floor has no such client.
 */
const ASLEEP = { rate: 1_000_000 };
/** Different bodies that are repeated, at most. */
const REPEATED = 200;
/** Components of the source of which some change, and how many of them do. */
const DELTA = { source: 10_000, changed: 50 } as const;

/** Components that are posted one by one. */
const POSTS = 60;

/** The rows of `npm run bench -- --engine postgres`. */
export const POSTGRES: readonly Row[] = [
  {
    name: 'postgres: shape query, two nodes',
    floor: 'the bare SQL through pg, in two processes',
    target: { least: 0.5 },
    meaning:
      'requests/s of POST /component/query for one shape (30–50 components each) at two nodes together, no two bodies alike',
    measure: shapeQueries,
  },
  {
    name: 'postgres: repeated queries',
    floor: 'a node with the disk engine',
    target: { least: 0.8 },
    meaning: `requests/s of ${REPEATED} queries over and over, with answers of the same size: from the cache of answers, so the disk engine has no more than ${LARGEST_SOURCE} components`,
    measure: repeatedQueries,
  },
  {
    name: 'postgres: page of 1,000 by uri',
    floor: '–',
    target: { most: 30 },
    meaning: 'time of GET /component?limit=1000&after=…, read to the end, somewhere in the listing',
    measure: pages,
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
    name: 'postgres: resident memory, all components ÷ a tenth of them',
    floor: 'a node on a tenth of the components',
    target: { least: 0.9, most: 1.1 },
    meaning: 'resident memory of a node that has answered pages and searches',
    measure: async (world) => {
      const { all, small } = await Database.of(world).memory();
      return { values: [all / small], unit: '×', figures: { MB: [all], 'MB with a tenth': [small] } };
    },
  },
  {
    name: 'postgres: resident memory',
    floor: '–',
    target: { most: 250 },
    meaning: 'the greater of the two',
    measure: async (world) => {
      const { all, small } = await Database.of(world).memory();
      return { values: [Math.max(all, small)], unit: 'MB', figures: {} };
    },
  },
  {
    name: 'postgres: memory of a whole listing',
    floor: 'the same node before',
    target: { most: 100 },
    meaning: 'how much higher the memory of a node was while it sent everything that there is',
    measure: listing,
  },
];

function rate({ requests, seconds, failed }: LoadResult): number {
  if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`);
  return requests / seconds;
}

/** Two clients, each at a server of its own; requests per second together. */
async function rateOfBoth(
  world: World,
  clients: readonly Worker[],
  nodes: readonly NodeProcess[],
  requests: readonly string[],
): Promise<number> {
  const order = { requests, connections: CONNECTIONS, ms: world.size.roundMs };
  const pace = nodes.length > 1 ? ASLEEP : {};
  const orders = nodes.map(({ port }): LoadOrder => ({ ...order, ...pace, port }));
  const results = await Promise.all(orders.map((order, i) => clients[i]?.ask<LoadResult>(order)));
  return results.reduce((sum, result) => sum + (result ? rate(result) : 0), 0);
}

async function shapeQueries(world: World): Promise<Measured> {
  const database = Database.of(world);
  const [{ url }, nodes] = [await database.seeded(), await database.nodes()];
  const shapes = rareShapes(world.size.components);
  const clients = [world.client, world.worker('load-client.ts')];
  const bare = [world.worker('sql-client.ts'), world.worker('sql-client.ts')];
  const order: SqlOrder = { url, shapes, connections: CONNECTIONS, ms: world.size.roundMs };
  const figures = { 'requests/s': [] as number[], 'bare SQL/s': [] as number[] };
  for (let round = -1; round < world.size.rounds; round++) {
    const floors = await Promise.all(bare.map((worker) => worker.ask<{ rate: number }>(order)));
    const reached = await rateOfBoth(world, clients, nodes, queries(shapes, true));
    // The first round only warms up.
    if (round < 0) continue;
    figures['bare SQL/s'].push(floors.reduce((sum, one) => sum + one.rate, 0));
    figures['requests/s'].push(reached);
  }
  return { values: ratios(figures['requests/s'], figures['bare SQL/s']), unit: '× the bare SQL', figures };
}

async function repeatedQueries(world: World): Promise<Measured> {
  const [node] = await Database.of(world).nodes();
  const components = Math.min(world.size.components, LARGEST_SOURCE);
  const disk = await world.node(components, { write: 'open' });
  // Answers of the same size, whatever the number of components: shapes that are rare there.
  const requestsFor = (all: number) => queries(rareShapes(all).slice(0, REPEATED), false);
  const [own, others] = [requestsFor(world.size.components), requestsFor(components)];
  const figures = { 'requests/s': [] as number[], 'disk engine requests/s': [] as number[] };
  for (let round = -1; round < world.size.rounds; round++) {
    const floor = await rateOfBoth(world, [world.client], [disk], others);
    const reached = await rateOfBoth(world, [world.client], [node], own);
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

async function pages(world: World): Promise<Measured> {
  const [node] = await Database.of(world).nodes();
  const { components, rounds } = world.size;
  const ms: number[] = [];
  for (let round = 0; round < rounds * 3; round++) {
    const { uri } = sampleComponent(Math.floor(((round + 0.5) * components) / (rounds * 3)));
    const started = performance.now();
    const answer = await fetch(`${node.url}/component?limit=1000&after=${encodeURIComponent(uri)}`);
    await answer.arrayBuffer();
    ms.push(performance.now() - started);
  }
  return { values: ms.slice(1), unit: 'ms', figures: {} };
}

async function deltas(world: World, amend: boolean): Promise<Measured> {
  const database = Database.of(world);
  const { url } = await database.seeded();
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

async function listing(world: World): Promise<Measured> {
  const [node] = await Database.of(world).nodes();
  const before = node.memory().now;
  const started = performance.now();
  const answer = await fetch(`${node.url}/component`);
  let bytes = 0;
  let highest = before;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    highest = Math.max(highest, node.memory().now);
  }
  const s = (performance.now() - started) / 1000;
  return {
    values: [highest - before],
    unit: 'MB',
    figures: { s: [s], MB: [bytes / 1e6], 'MB before': [before] },
  };
}
