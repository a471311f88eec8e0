import { change } from './change.js';
import type { NodeProcess } from './processes.js';
import type { Measured, Row } from './row.js';
import { spreadOf } from './statistics.js';
import { Wire } from './wire.js';
import { WithoutFeed } from './without-feed.js';
import { LARGEST_SOURCE, type World } from './world.js';

/** Polls that are measured together, where one takes less than what processor time is counted in. */
const POLLS = 50;
/** So many times that many come before: a node follows its peers for weeks. */
const WARM_UP = 4;

export const FOLLOWING: readonly Row[] = [
  {
    name: 'following: one changed component, peer to peer',
    floor: '–',
    target: { most: 2500 },
    meaning:
      'bytes on the wire, both ways and headers included, of a poll of a peer with all components (100,000 at most), of which one has changed',
    measure: (world) => pollsMeasured(world, 1),
  },
  {
    name: 'following: 100 changed components, peer to peer, each',
    floor: '–',
    target: { most: 300 },
    meaning: 'the same with 100, divided by their number; nodes take compressed answers',
    measure: (world) => pollsMeasured(world, 100),
  },
  {
    name: 'following: ten changed components, processor time',
    floor: 'a poll of the same peer, without its feed, of which ten components have changed',
    target: { most: 1 / 500 },
    meaning: 'processor time of all threads of the node that polls, with all components (100,000 at most)',
    async measure(world) {
      const peer = await peerOf(world);
      const without = await WithoutFeed.of(peer.port);
      const byFeed = await readerOf(world, peer.url, 'feed');
      const byListing = await readerOf(world, without.url, 'listing');
      const poll = async () => {
        await change(peer, 10);
        await byFeed.sync(peer.url);
      };
      const polls = world.size.rounds > 1 ? POLLS : 3;
      // What the database has to do after the first load would be counted, too, and code that is not yet compiled.
      for (let i = 0; i < WARM_UP * polls; i++) await poll();
      const values: number[] = [];
      const figures = { 'by the feed ms': [] as number[], 'by the listing ms': [] as number[] };
      for (let round = 0; round < Math.min(5, world.size.rounds); round++) {
        const feed = await cpuOf(byFeed, async () => {
          for (let i = 0; i < polls; i++) await poll();
        });
        const listing = await cpuOf(byListing, () => byListing.sync(without.url));
        figures['by the feed ms'].push(feed / polls);
        figures['by the listing ms'].push(listing);
        values.push(feed / polls / listing);
      }
      for (const node of [byFeed, byListing, peer]) await world.stopNode(node);
      without.close();
      return { values, unit: '× the listing', figures };
    },
  },
  {
    name: 'following: first load',
    floor: 'the same by a node that reads the listing',
    target: { most: 1.2 },
    meaning: 'time until a node without anything has all components (100,000 at most) of a peer on disk',
    async measure(world) {
      const figures = {
        'by the feed ms': [] as number[],
        'by the listing ms': [] as number[],
        'processor time by the feed ms': [] as number[],
        'processor time by the listing ms': [] as number[],
      };
      const peer = await peerOf(world);
      const without = await WithoutFeed.of(peer.port);
      for (let round = 0; round < Math.min(3, world.size.rounds); round++) {
        for (const [by, url] of [
          ['feed', peer.url],
          ['listing', without.url],
        ] as const) {
          const node = await readerOf(world, url, by);
          figures[`by the ${by} ms`].push(1000 * (await node.metric('registry_poll_duration_seconds_sum')));
          figures[`processor time by the ${by} ms`].push(node.cpu());
          await world.stopNode(node);
        }
      }
      await world.stopNode(peer);
      without.close();
      const floor = spreadOf(figures['by the listing ms']).median;
      return { values: figures['by the feed ms'].map((ms) => ms / floor), unit: '× the listing', figures };
    },
  },
];

async function peerOf(world: World): Promise<NodeProcess> {
  const components = Math.min(world.size.components, LARGEST_SOURCE);
  return world.node(components, { write: 'open', baseUrl: 'http://peer.example' });
}

/** A node that has read a peer once: a source that was never read is polled soon after the start. */
async function readerOf(world: World, url: string, by: 'feed' | 'listing'): Promise<NodeProcess> {
  const sync = { ...NEVER, ...ROOM };
  const node = await world.node(0, { peers: [url], discovery: { depth: 0 }, sync });
  await node.sync(url);
  const following = await node.following(url);
  if (following.by !== by) throw new Error(`the peer is not read by its ${by}: ${JSON.stringify(following)}`);
  return node;
}

/** Polled when the benchmark says so, and not because of hints. */
const NEVER = { schedule: '0 0 1 1 *', maxBytes: 2_000_000_000, timeoutSeconds: 3600, streams: 0 };
/** There is room for all that the peer says, and then some. */
const ROOM = { maxComponents: 2 * LARGEST_SOURCE };

async function cpuOf(node: NodeProcess, work: () => Promise<unknown>): Promise<number> {
  const before = node.cpu();
  await work();
  return node.cpu() - before;
}

/** Two rows look at polls of the same peer. */
const polled = new WeakMap<World, Promise<Polls>>();

interface Polls {
  /** Bytes of each poll, by how many components had changed. */
  readonly bytes: Readonly<Record<1 | 100, number[]>>;
  /** Components that were taken from the peer before. */
  readonly taken: number;
}

async function pollsMeasured(world: World, count: 1 | 100): Promise<Measured> {
  const polls = polled.get(world) ?? measurePolls(world);
  polled.set(world, polls);
  const { bytes, taken } = await polls;
  const figures = { 'components taken from the peer': [taken] };
  return { values: bytes[count].map((all) => all / count), unit: 'bytes', figures };
}

async function measurePolls(world: World): Promise<Polls> {
  const peer = await peerOf(world);
  const wire = await Wire.to(peer.port);
  const node = await readerOf(world, wire.url, 'feed');
  const taken = await node.size();
  const bytes: Polls['bytes'] = { 1: [], 100: [] };
  for (const count of [1, 100] as const) {
    for (let round = 0; round < world.size.rounds; round++) {
      await change(peer, count);
      const before = wire.bytes;
      await node.sync(wire.url);
      bytes[count].push(wire.bytes - before);
    }
  }
  await world.stopNode(node);
  await world.stopNode(peer);
  wire.cut();
  return { bytes, taken };
}
