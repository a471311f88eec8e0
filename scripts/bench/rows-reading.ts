import { load } from './processes.js';
import { get, matchQuestions, queries } from './requests.js';
import type { Measured, Row } from './row.js';
import { sampleComponent } from './sample-data.js';
import { ratios } from './statistics.js';
import { rareShapes, type World } from './world.js';

/** Connections with one request under way each: enough that the server never waits. */
const CONNECTIONS = 16;
/** Different bodies that are repeated, at most: their answers fit into the cache. */
const REPEATED = 200;
const UNIT = '× the floor';

export const READING: readonly Row[] = [
  {
    name: 'shape query, different bodies',
    floor: 'node:http, fixed body of the same size',
    target: { least: 0.6 },
    meaning:
      'requests/s of POST /component/query for one shape (30–50 components each), no two bodies alike, so none comes from the cache',
    measure: differentQueries,
  },
  {
    name: 'shape query, different bodies, beside copies',
    floor:
      'node:http, each body copied from 40 pieces that lie anywhere in as much memory as a listing takes',
    target: { least: 0.9 },
    meaning: 'the same requests/s beside the least that answers of 40 components cost that are not kept',
    async measure(world) {
      const { figures, ...measured } = await differentQueries(world);
      return { ...measured, values: ratios(figures['requests/s'] ?? [], figures[COPIES] ?? []), figures };
    },
  },
  {
    name: 'shape query, repeated bodies',
    floor: 'node:http, fixed body of the same size',
    target: { least: 0.85 },
    meaning: `${REPEATED} of the same queries over and over: answered from the cache of answers`,
    measure(world) {
      return queryRate(world, queries(rareShapes(world.size.components).slice(0, REPEATED), false), {
        name: 'requests/s of a floor with 200 bodies',
        kind: '/many',
      });
    },
  },
  {
    name: 'match, different bodies',
    floor: 'shape queries for the same',
    target: { least: 0.25 },
    meaning: 'requests/s of POST /match for one class (30–50 components each), no two bodies alike',
    async measure(world) {
      const shapes = rareShapes(world.size.components);
      const { port } = await world.sharedNode();
      return requestRate(world, matchQuestions(shapes), queries(shapes, true), { floorPort: port });
    },
  },
  {
    name: 'GET /c/<uri>',
    floor: 'node:http, 1 KB',
    target: { least: 0.75 },
    meaning: 'requests/s for single components, a thousand different ones in turn',
    async measure(world) {
      const paths = Array.from({ length: 1000 }, (_, i) => {
        const { uri } = sampleComponent(Math.floor((i * world.size.components) / 1000));
        return get(`/c/${encodeURIComponent(uri)}`);
      });
      return requestRate(world, paths, [get('/1024')]);
    },
  },
  {
    name: 'conditional GET /component → 304',
    floor: 'node:http, 304 to the same request',
    target: { least: 0.75 },
    meaning: 'requests/s of a client (or peer) that has the current state already',
    async measure(world) {
      const node = await world.sharedNode();
      const { headers } = await fetch(`${node.url}/component`, { method: 'HEAD' });
      const condition = { 'if-none-match': headers.get('etag') ?? '' };
      return requestRate(world, [get('/component', condition)], [get('/304', condition)]);
    },
  },
];

const COPIES = 'requests/s of a floor that copies';
const asked = new WeakMap<World, Promise<Measured>>();

/** Two rows look at the same requests. */
function differentQueries(world: World): Promise<Measured> {
  const requests = queries(rareShapes(world.size.components), true);
  const measured = asked.get(world) ?? queryRate(world, requests, { name: COPIES, kind: '/scattered' });
  asked.set(world, measured);
  return measured;
}

/** `memory`: a floor that shows how much of the difference no code could have back. */
async function queryRate(
  world: World,
  requests: string[],
  memory: { readonly name: string; readonly kind: string },
): Promise<Measured> {
  const beside = { name: memory.name, requests: await floorOf(world, requests, memory.kind) };
  return requestRate(world, requests, await floorOf(world, requests, ''), { beside });
}

/** Requests for bodies of the size that these have on average. */
async function floorOf(world: World, requests: string[], kind: string): Promise<string[]> {
  const { port } = await world.sharedNode();
  const { bytes, requests: count } = await load(world.client, { port, requests, connections: 4, ms: 300 });
  const [size, head] = [Math.round(bytes / count), 200];
  return queries(['floor'], false).map((request) =>
    request.replace('/component/query', `/${size - head}${kind}`),
  );
}

async function rateOf(world: World, port: number, requests: readonly string[]): Promise<number> {
  const order = { port, requests, connections: CONNECTIONS, ms: world.size.roundMs };
  const result = await load(world.client, order);
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.requests} requests failed`);
  return result.requests / result.seconds;
}

/** Requests per second of the node beside those of the floor, round by round. */
async function requestRate(
  world: World,
  requests: string[],
  floorRequests: string[],
  more: {
    readonly beside?: { readonly name: string; readonly requests: string[] };
    readonly floorPort?: number;
  } = {},
): Promise<Measured> {
  const { rounds } = world.size;
  const { beside, floorPort = await world.floorPort() } = more;
  const node = await world.sharedNode();
  const figures = { 'requests/s': [] as number[], 'floor requests/s': [] as number[] };
  const ratesBeside: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const floor = await rateOf(world, floorPort, floorRequests);
    const reached = await rateOf(world, node.port, requests);
    const other = beside && (await rateOf(world, floorPort, beside.requests));
    // The first round only warms up.
    if (round < 0) continue;
    figures['requests/s'].push(reached);
    figures['floor requests/s'].push(floor);
    if (other) ratesBeside.push(other);
  }
  return {
    values: ratios(figures['requests/s'], figures['floor requests/s']),
    unit: UNIT,
    figures: beside ? { ...figures, [beside.name]: ratesBeside } : figures,
  };
}
