import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { openDiskStore } from '../../src/store/disk/disk-store.js';
import type { RegistryStore } from '../../src/store/registry-store.js';
import { AttackedNode } from '../support/attacked-node.js';
import { type SentRequest, sendMany } from '../support/many-requests.js';
import { type NodeProcess, prepareNode } from '../support/node/node-process.js';
import { openTestStore } from '../support/postgres-engine.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { registryOptions } from '../support/registry.js';
import { newDatabase } from '../support/shared-postgres.js';
import { inTorture, rounds } from '../support/torture.js';

/** Components that the node has, and documents that describe one of them. */
const SIZE = inTorture ? 100_000 : 1_000;
const NAMESAKES = SIZE / 5;
const DESCRIBED_BY = SIZE / 50;
/** Requests of one attack, from four clients. */
const TIMES = rounds({ short: 4, full: 24 });
const CLIENTS = 4;
/** Of other topics each. */
const HINTS = rounds({ short: 200, full: 10_000 });

const PODS = [
  'http://127.0.0.1:9/many/',
  'http://127.0.0.1:9/one/',
  'http://127.0.0.1:9/documents/',
] as const;
const POPULAR = 'https://c.example/popular.js';
const uriOf = (i: number) => `https://c.example/@author-${i % 500}/component-${i}@1.${i % 40}.0/index.js`;

function component(i: number): Metadata {
  return {
    uri: uriOf(i),
    label: i < NAMESAKES ? 'Namesake' : `Component ${i}`,
    description: `Shows number ${i} with all that belongs to it.`,
    version: `1.${i % 40}.0`,
    latest: false,
    author: [`https://author-${i % 500}.example/#me`],
    tag: [`tag-${i % 50}`, 'all'],
    shapes: [`https://shapes.example/${i % 1000}`],
  };
}

const components = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => component(from + i));

/** What the node has read before it is attacked. */
async function fill(store: RegistryStore): Promise<void> {
  const { registry } = await store.load(registryOptions());
  const commit = async (source: Source, documents: readonly (readonly [string, readonly Metadata[]])[]) =>
    registry.commit({
      source,
      documents: documents.map(([url, components]) => ({
        url,
        components,
        record: { etag: 'x', readAt: 1 },
      })),
      record: (record) => record,
    });
  const [many, one, documents] = PODS.map((url): Source => ({ kind: 'pod', url })) as [
    Source,
    Source,
    Source,
  ];
  await commit(many, [[`${many.url}all.ttl`, components(0, SIZE / 2)]]);
  const popular = { ...component(0), uri: POPULAR };
  const same = Array.from(
    { length: DESCRIBED_BY },
    (_, i) => [`${one.url}${i}`, [{ ...popular, label: `${i}` }]] as const,
  );
  await commit(one, same);
  const half = components(SIZE / 2, SIZE);
  await commit(
    documents,
    half.map((each, i) => [`${documents.url}${i}.ttl`, [each]] as const),
  );
  await registry.commitOwn({ put: [popular] });
  await registry.close();
}

const json = { 'content-type': 'application/json' };
const query = (body: object): SentRequest => ({
  ...{ method: 'POST', path: '/component/query', headers: json },
  body: JSON.stringify(body),
});
const page = (path: string): SentRequest => ({ path, headers: { accept: 'text/html' } });
const named = (name: string, value: string) => new URLSearchParams({ [name]: value }).toString();

/** What anybody may ask. Those with a function are asked for something else each time, so that no cache answers. */
type Attack = readonly [name: string, request: (i: number) => SentRequest, status: number];

const ATTACKS: readonly Attack[] = [
  ['a query for what nobody trusts', (i) => query({ trust: 'learned', description: `${i}` }), 200],
  ['a query for all of one trust', () => query({ trust: 'configured' }), 200],
  ['a query for a source that is not there', (i) => query({ source: `https://nobody.example/${i}/` }), 200],
  ['a query for a source', () => query({ source: PODS[2] }), 200],
  ['a search within a source', (i) => query({ q: `number ${i} belongs`, source: PODS[0] }), 200],
  [
    'a page of a source, of the newest versions',
    (i) => ({ path: `/component?newest=true&limit=1&after=${i}&${named('source', PODS[0])}` }),
    200,
  ],
  ['the page of a component with namesakes', (i) => page(`/c/${uriOf(i)}`), 200],
  ['why a component with many descriptions is served', () => page(`/why?${named('uri', POPULAR)}`), 200],
  ['the same for programs', () => ({ path: `/why?${named('uri', POPULAR)}` }), 200],
  ['the page of a component with many descriptions', () => page(`/c/${POPULAR}`), 200],
  [
    'all graphs of a component with many descriptions',
    () => ({ path: `/c/${POPULAR}?graphs=all`, headers: { accept: 'application/trig' } }),
    200,
  ],
  ['the receipt of a document', (i) => ({ path: `/document?${named('url', `${PODS[2]}${i}.ttl`)}` }), 200],
  [
    'the receipt of a document of many components',
    () => page(`/document?${named('url', `${PODS[0]}all.ttl`)}`),
    200,
  ],
  [
    'the receipt of a document that is not there',
    (i) => page(`/document?${named('url', `https://nobody.example/${i}`)}`),
    404,
  ],
  ['the receipt of a container', () => page(`/document?${named('url', PODS[2])}`), 200],
  ['a feed since a state that was never', (i) => ({ path: `/feed?since=abc.${i}.0123abcd` }), 410],
  ['the status', () => ({ path: '/status' }), 200],
  ['the metrics', () => ({ path: '/metrics' }), 200],
  ['the network', () => page('/network'), 200],
  ['searches on the home page', (i) => page(`/?q=number+${i}`), 200],
];

const config = {
  ...{ pods: PODS, sync: { schedule: '0 0 1 1 *' }, network: { allowPrivate: true }, write: 'open' },
};

/** A node that has read all of it. */
async function started(node: NodeProcess, store: Promise<RegistryStore>): Promise<AttackedNode> {
  await fill(await store);
  await node.start();
  while ((await node.getJson<{ status: string }>('/health')).status !== 'serving')
    await new Promise((go) => setImmediate(go));
  return AttackedNode.of(node);
}

async function ask(
  node: NodeProcess,
  request: (i: number) => SentRequest,
  times = TIMES,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const client = async () => {
    while (next < times) {
      for (const [status, count] of Object.entries(
        await sendMany(node.url, request(next++), { clients: 1, times: 1 }),
      ))
        statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return statuses;
}

describe('what a stranger asks of a large node keeps no other client waiting', { timeout: 300_000 }, () => {
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    node = await prepareNode({ config });
    const where = { clock: systemClock, pace: systemPace };
    attacked = await started(node, openDiskStore(join(node.dataDir, 'registry'), where));
  }, 300_000);
  afterAll(() => node.kill());

  it.each(ATTACKS)('%s', async (name, request, status) => {
    const statuses = await attacked.by(name, () => ask(node, request));
    expect(statuses).toEqual({ [status]: TIMES });
  });

  it.each(['application/json', 'application/ld+json', 'application/trig'])(
    'the feed from its beginning, as %s',
    async (accept) => {
      const { headers } = await fetch(`${node.url}/component?limit=1`);
      const [epoch = ''] = headers.get('feed-cursor')?.split('.') ?? [];
      const random = (i: number): SentRequest => ({
        path: `/feed/range?epoch=${epoch}&after=${(i * 7919) % SIZE}&until=${((i * 7919) % SIZE) + 5000}&limit=5000`,
        headers: { accept },
      });
      await attacked.by(`ranges of the feed, as ${accept}`, () => ask(node, random));
    },
  );

  it(`${HINTS} hints`, async () => {
    const hint = (i: number): SentRequest => ({
      ...{ method: 'POST', path: '/hint', headers: json },
      body: JSON.stringify({ topic: `${PODS[i % 3]}${i}` }),
    });
    // As fast as the node takes them, which is more than ten thousand a minute.
    const statuses = await attacked.by(`${HINTS} hints`, () => ask(node, hint, HINTS));
    expect(statuses).toEqual({ 202: HINTS });
  });

  it('and leaves neither threads nor sockets nor memory behind', async () => {
    await attacked.expectNothingLeft();
    await node.stop();
  });
});

/** What is told of sources and documents, of which there are tens of thousands. */
const OF_SOURCES = /^(why|the same|the receipt|the status|the metrics|the network)/;

describe.skipIf(!hasPostgres())(
  'nor of a node that keeps its data in PostgreSQL, about sources',
  { timeout: 300_000 },
  () => {
    let node: NodeProcess;
    let attacked: AttackedNode;

    beforeAll(async () => {
      const database = await newDatabase();
      const env = { REGISTRY_STORE_URL: database };
      node = await prepareNode({ config: { ...config, store: { engine: 'postgres' } }, env });
      attacked = await started(node, openTestStore(database));
    }, 300_000);
    afterAll(() => node.kill());

    it.each(ATTACKS.filter(([name]) => OF_SOURCES.test(name)))('%s', async (name, request, status) => {
      const statuses = await attacked.by(`PostgreSQL: ${name}`, () => ask(node, request));
      expect(statuses).toEqual({ [status]: TIMES });
    });
  },
);
