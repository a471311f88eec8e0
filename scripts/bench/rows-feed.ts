import { type ClosableFetch, createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import { change } from './change.js';
import { EventReaders } from './event-readers.js';
import type { NodeProcess } from './processes.js';
import type { Measured, Row } from './row.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

/** Lines of events that are open at once. */
const READERS = 1000;
/** Changes that are posted in one go. */
const BATCH = 100;

export const FEED: readonly Row[] = [
  {
    name: 'feed: asking in vain',
    floor: '–',
    target: { most: 500 },
    meaning:
      'bytes on the wire, both ways and headers included, of GET /feed by a reader that has everything',
    measure: (world) => measured(world, 'in vain'),
  },
  {
    name: 'feed: one changed component',
    floor: '–',
    target: { most: 2500 },
    meaning: 'the same, with one component changed since the last time',
    measure: (world) => measured(world, 'one'),
  },
  {
    name: 'feed: 100 changed components, each',
    floor: '–',
    target: { most: 1100 },
    meaning: 'the same, by a reader that takes no compressed answers, divided by the number of changes',
    measure: (world) => measured(world, 'each'),
  },
  {
    name: 'feed: 100 changed components, compressed, each',
    floor: '–',
    target: { most: 300 },
    meaning: 'the same by a node, which takes compressed answers',
    measure: (world) => measured(world, 'each, compressed'),
  },
  {
    name: 'feed: a hint to 1,000 readers',
    floor: '–',
    target: { most: 6 },
    meaning: 'seconds from a change until the last of 1,000 lines of events has the cursor',
    measure: async (world) => {
      const { hints, before } = await hintsTold(world);
      return { values: hints.map(({ seconds }) => seconds), unit: 's', figures: { 'MB before': [before] } };
    },
  },
  {
    name: 'feed: memory of 1,000 readers',
    floor: '–',
    target: { most: 60 },
    meaning: 'how much resident memory a node has more with 1,000 lines of events, after each hint',
    measure: async (world) => {
      const { hints, before } = await hintsTold(world);
      return {
        values: hints.map(({ megabytes }) => megabytes),
        unit: 'MB',
        figures: { 'MB before': [before] },
      };
    },
  },
];

interface Reader {
  /** Bytes of a request of a node and its answer. */
  readonly bytesOf: (path: string, headers?: Record<string, string>) => Promise<number>;
  /** Of a reader that takes no compressed answers. */
  readonly plainBytesOf: (path: string) => Promise<number>;
  /** Changes so many components. */
  readonly change: (count: number) => Promise<void>;
  readonly cursor: () => Promise<string>;
}

/** Bytes of each request, once a round. */
type Bytes = Readonly<Record<keyof typeof REQUESTS, number[]>>;

const REQUESTS = {
  'in vain': async ({ bytesOf, cursor }: Reader) => {
    const at = await cursor();
    return bytesOf(`/feed?since=${at}`, { 'if-none-match': `"${at}"` });
  },
  one: async ({ bytesOf, change, cursor }: Reader) => {
    const since = await cursor();
    await change(1);
    return bytesOf(`/feed?since=${since}`, { 'if-none-match': `"${since}"` });
  },
  each: async ({ plainBytesOf, change, cursor }: Reader) => {
    const since = await cursor();
    await change(BATCH);
    return (await plainBytesOf(`/feed?since=${since}`)) / BATCH;
  },
  'each, compressed': async ({ bytesOf, change, cursor }: Reader) => {
    const since = await cursor();
    await change(BATCH);
    return (await bytesOf(`/feed?since=${since}`, { 'if-none-match': `"${since}"` })) / BATCH;
  },
};

/** Four rows ask the same node. */
const asked = new WeakMap<World, Promise<Bytes>>();

async function measured(world: World, request: keyof Bytes): Promise<Measured> {
  const bytes = asked.get(world) ?? askNode(world);
  asked.set(world, bytes);
  return { values: (await bytes)[request], unit: 'bytes', figures: {} };
}

async function askNode(world: World): Promise<Bytes> {
  const baseUrl = 'https://registry.example.org';
  const node = await world.node(world.size.components, { write: 'open', baseUrl });
  const wire = await Wire.to(node.port);
  const fetchAsNode = guardedFetch(baseUrl);
  const reader = readerOf(node, wire, fetchAsNode);
  const bytes: Bytes = { 'in vain': [], one: [], each: [], 'each, compressed': [] };
  for (const [name, request] of Object.entries(REQUESTS) as [
    keyof Bytes,
    (reader: Reader) => Promise<number>,
  ][]) {
    for (let round = 0; round < world.size.rounds; round++) bytes[name].push(await request(reader));
  }
  await fetchAsNode.close();
  wire.cut();
  await world.stopNode(node);
  return bytes;
}

function readerOf(node: NodeProcess, wire: Wire, fetchAsNode: ClosableFetch): Reader {
  const counted = async (ask: () => Promise<unknown>) => {
    const before = wire.bytes;
    await ask();
    return wire.bytes - before;
  };
  return {
    cursor: () => cursorOf(node),
    change: (count) => change(node, count),
    plainBytesOf: (path) =>
      counted(async () =>
        (await fetch(wire.url + path, { headers: { 'accept-encoding': 'identity' } })).text(),
      ),
    bytesOf: (path, headers = {}) =>
      counted(async () => {
        const request = { headers: { accept: 'application/json', ...headers }, trust: 'configured' } as const;
        return (await fetchAsNode(wire.url + path, request)).text();
      }),
  };
}

interface Hint {
  readonly seconds: number;
  readonly megabytes: number;
}

interface Hints {
  readonly hints: readonly Hint[];
  /** Resident memory of the node without readers, in megabytes. */
  readonly before: number;
}

/** Two rows tell of the same lines of events: they are opened once. */
const told = new WeakMap<World, Promise<Hints>>();

function hintsTold(world: World): Promise<Hints> {
  const hints = told.get(world) ?? tellHints(world);
  told.set(world, hints);
  return hints;
}

async function tellHints(world: World): Promise<Hints> {
  const node = await world.node(world.size.components, { write: 'open' });
  await change(node, 1);
  const before = node.memory().now;
  // A quick run only shows that everything works.
  const readers = await EventReaders.open(node.port, world.size.rounds > 1 ? READERS : READERS / 10);
  const hints: Hint[] = [];
  for (let round = 0; round < world.size.rounds; round++) {
    const started = performance.now();
    await change(node, 1);
    await readers.told(await cursorOf(node));
    const seconds = (performance.now() - started) / 1000;
    hints.push({ seconds, megabytes: node.memory().now - before });
  }
  readers.close();
  await world.stopNode(node);
  return { hints, before };
}

async function cursorOf(node: NodeProcess): Promise<string> {
  const answer = await fetch(`${node.url}/feed`, { method: 'HEAD' });
  return answer.headers.get('feed-cursor') ?? '';
}

/** The fetch of a node, as `src/node.ts` makes it. */
function guardedFetch(baseUrl: string): ClosableFetch {
  const userAgent = `component-registry-node/0.1.0 (+${baseUrl})`;
  return createGuardedFetch({ userAgent, allowPrivate: true, maxBytes: 10_000_000, timeoutMs: 30_000 });
}
