import type { Request } from 'autocannon';
import { publish } from '../../test/support/node/node-reader.js';
import { type Load, load, varied } from './load.js';
import type { Row } from './row.js';
import { rareShapes, sampleComponent } from './sample-data.js';
import type { World } from './world.js';

/** Enough that the server never waits. */
const CONNECTIONS = 16;
/** Answers that fit into the cache. */
const REPEATED = 200;
/** The uri that is posted again and again, which no sample component has. */
export const CHANGED = 'https://cdn.example.net/p.js';

export const READING: readonly Row[] = [
  {
    name: 'shape query',
    meaning:
      'requests/s of POST /component/query for one shape (30 to 50 components each), none from the cache ÷ node:http with one body of the same size',
    goal: '≥ 0.68 ×',
    measure: async (world) => beside(world, different(world), await sameSize(world)),
  },
  {
    name: 'shape query, copied',
    meaning:
      'the same ÷ node:http with bodies of that size, each put together of 40 pieces that lie in 140 MB',
    goal: '≥ 0.95 ×',
    measure: async (world) => beside(world, different(world), await sameSize(world, '/copied')),
  },
  {
    name: 'shape query, repeated',
    meaning: `${REPEATED} queries over and over, from the cache ÷ node:http with one body of the same size`,
    goal: '≥ 0.92 ×',
    measure: async (world) => beside(world, queries(world).slice(0, REPEATED), await sameSize(world)),
  },
  {
    name: 'match',
    meaning: 'requests/s of POST /match for one class, none from the cache ÷ shape queries for the same',
    goal: '≥ 1 ×',
    measure: async (world) => {
      const { url } = await world.sharedNode();
      return beside(world, different(world, '/match', 'types'), { url, requests: different(world) });
    },
  },
  {
    name: 'GET /c/<uri>',
    meaning: 'requests/s for a thousand single components in turn ÷ node:http, 1 kB, for as many paths',
    goal: '≥ 0.85 ×',
    measure: async (world) => {
      const requests = Array.from({ length: 1000 }, (_, i) => {
        const { uri } = sampleComponent(Math.floor((i * world.size.components) / 1000));
        return { path: `/c/${encodeURIComponent(uri)}` };
      });
      // A thousand different paths cost the client as much as an answer costs the server.
      const floor = requests.map(({ path }) => ({ path: `/1024${path}` }));
      return beside(world, requests, { url: await world.serversUrl(), requests: floor });
    },
  },
  {
    name: '304',
    meaning: 'requests/s of a client that has the listing already ÷ node:http, 304 to the same request',
    goal: '≥ 0.88 ×',
    measure: async (world) => {
      const { url } = await world.sharedNode();
      const { headers } = await fetch(`${url}/component`, { method: 'HEAD' });
      const condition = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
      const floor = { url: await world.serversUrl(), requests: [{ path: '/304', ...condition }] };
      return beside(world, [{ path: '/component', ...condition }], floor);
    },
  },
  {
    name: 'listing',
    meaning: 'time of GET /component as JSON, read to the end ÷ node:http, one Buffer of the same size',
    goal: '≤ 1.1 ×',
    measure: (world) => listing(world, async () => undefined),
  },
  {
    name: 'listing after a change',
    meaning: 'the same, right after one component was posted',
    goal: '≤ 1.3 ×',
    measure: async (world) => {
      const node = await world.sharedNode();
      return listing(world, (round) => publish(node, { uri: CHANGED, label: `${round}` }));
    },
  },
  {
    name: 'first page after a change',
    meaning: 'time of GET / as HTML of a node with 20,000 components, right after one was posted',
    goal: '≤ 50 ms',
    measure: async (world) => {
      const node = await world.node(Math.min(20_000, world.size.components));
      const values = await world.rounds(async (round) => {
        await publish(node, { uri: CHANGED, label: `${round}` });
        return (await download(`${node.url}/`, { accept: 'text/html' })).ms;
      });
      await node.stop();
      return values;
    },
  },
];

/** A question for each rare shape: shape queries, or other ones. */
export function queries({ size }: World, path = '/component/query', key = 'shapes'): Request[] {
  const headers = { 'content-type': 'application/json' };
  return rareShapes(size.components).map((shape) => {
    return { method: 'POST', path, headers, body: JSON.stringify({ [key]: [shape] }) };
  });
}

/** Questions of which no two have the same body, so that no answer comes from the cache. */
const different = (...asked: Parameters<typeof queries>) => queries(...asked).map(varied);

type Asked = Pick<Load, 'url' | 'requests'>;

/** A floor with bodies as long as the answers to queries are on average. */
async function sameSize(world: World, suffix = ''): Promise<Asked> {
  const { url } = await world.sharedNode();
  const { bytes } = await load({ url, requests: queries(world), connections: 4, ms: 300 });
  const head = 300;
  return { url: await world.serversUrl(), requests: [{ path: `/${Math.round(bytes - head)}${suffix}` }] };
}

/** Requests per second of the node ÷ those of the floor, round by round. */
async function beside(world: World, requests: readonly Request[], floor: Asked): Promise<number[]> {
  const { url } = await world.sharedNode();
  const settings = { connections: CONNECTIONS, ms: world.size.roundMs };
  const perSecond = async (asked: Asked) => (await load({ ...asked, ...settings })).perSecond;
  const compare = async () => {
    const most = await perSecond(floor);
    return (await perSecond({ url, requests })) / most;
  };
  // The first time only warms up.
  await compare();
  return world.rounds(compare);
}

/** Reads an answer to its end, without looking at it. */
async function download(url: string, headers: Record<string, string> = {}) {
  const started = performance.now();
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  return { ms: performance.now() - started, bytes };
}

async function listing(world: World, prepare: (round: number) => Promise<void>): Promise<number[]> {
  const node = await world.sharedNode();
  const { bytes } = await download(`${node.url}/component`);
  const floor = `${await world.serversUrl()}/${bytes}`;
  await download(floor);
  return world.rounds(async (round) => {
    const { ms: least } = await download(floor);
    await prepare(round);
    return (await download(`${node.url}/component`)).ms / least;
  });
}
