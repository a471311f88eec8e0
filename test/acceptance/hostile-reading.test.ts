import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { type SentRequest, sendMany } from '../support/many-requests.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod } from '../support/pod/fake-pod.js';
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

const server = await fakeServer();
await server.close();
cleanup(() => server.close());
const PODS = [server.url('/many/'), server.url('/one/'), server.url('/documents/')] as const;
const POPULAR = 'https://c.example/popular.js';
const uriOf = (i: number) => `https://c.example/@author-${i % 500}/component-${i}@1.${i % 40}.0/index.js`;

function component(i: number) {
  return {
    uri: uriOf(i),
    label: i < NAMESAKES ? 'Namesake' : `Component ${i}`,
    description: `Shows number ${i} with all that belongs to it.`,
    version: `1.${i % 40}.0`,
    latest: false,
    author: `https://author-${i % 500}.example/#me`,
    tag: [`tag-${i % 50}`, 'all'],
    shapes: `https://shapes.example/${i % 1000}`,
  };
}

const popular = { ...component(0), uri: POPULAR };

/** A description as authors write it. */
function turtle({ uri, label, description, version, latest, author, tag, shapes }: typeof popular): string {
  const texts = Object.entries({ label, description, version, author }).map(
    ([field, text]) => `voc:${field} "${text}"`,
  );
  const tags = tag.map((one) => `"${one}"`).join();
  return `<${uri}> a voc:component ; ${texts.join(' ; ')} ; voc:latest ${latest} ; voc:tag ${tags} ; voc:shapes <${shapes}> .`;
}

function fillPods(): void {
  const pod = new FakePod(server);
  const put = (path: string, ...all: (typeof popular)[]) =>
    pod.put(path, ['@prefix voc: <http://semcom.digita.ai/voc#>.', ...all.map(turtle)].join('\n'));
  put('/many/all.ttl', ...Array.from({ length: SIZE / 2 }, (_, i) => component(i)));
  for (let i = 0; i < DESCRIBED_BY; i++) put(`/one/${i}`, { ...popular, label: `${i}` });
  for (let i = 0; i < SIZE / 2; i++) put(`/documents/${i}.ttl`, component(SIZE / 2 + i));
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
  ['the page of a component with namesakes', (i) => page(`/c/${uriOf(i)}`), 200],
  ['why a component with many descriptions is served', () => page(`/why?${named('uri', POPULAR)}`), 200],
  ['the same for programs', () => ({ path: `/why?${named('uri', POPULAR)}` }), 200],
  ['the page of a component with many descriptions', () => page(`/c/${POPULAR}`), 200],
  [
    'all graphs of a component with many descriptions',
    () => ({ path: `/c/${POPULAR}?graphs=all`, headers: { accept: 'application/trig' } }),
    200,
  ],
  ['the receipt of a document', (i) => ({ path: `/why?${named('document', `${PODS[2]}${i}.ttl`)}` }), 200],
  [
    'the receipt of a document of many components',
    () => page(`/why?${named('document', `${PODS[0]}all.ttl`)}`),
    200,
  ],
  [
    'the receipt of a document that is not there',
    (i) => page(`/why?${named('document', `https://nobody.example/${i}`)}`),
    404,
  ],
  ['the receipt of a container', () => page(`/why?${named('document', PODS[2])}`), 200],
  ['a feed since a state that was never', (i) => ({ path: `/feed?since=abc.${i}.0123abcd` }), 410],
  ['the status', () => ({ path: '/status' }), 200],
  ['the metrics', () => ({ path: '/metrics' }), 200],
  ['the network', () => page('/network'), 200],
  ['searches on the home page', (i) => page(`/?q=number+${i}`), 200],
];

const config = {
  ...{ pods: PODS, network: { allowPrivate: true }, write: 'open' },
  sync: { schedule: '0 0 1 1 *', streams: 0, maxBytes: 100_000_000, maxDocuments: SIZE, timeoutSeconds: 300 },
};
const operator = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };

/** Each request is another one, so that no cache answers. */
async function ask(node: NodeProcess, request: (i: number) => SentRequest, times = TIMES) {
  const statuses: Record<string, number> = {};
  let next = 0;
  const client = async () => {
    while (next < times) {
      const [status = ''] = Object.keys(await sendMany(node.url, request(next++), { clients: 1, times: 1 }));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return statuses;
}

describe('what a stranger asks of a large node keeps no other client waiting', () => {
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    fillPods();
    await server.open();
    node = await startNode({ config, env: operator });
    await sync(node);
    // What is asked for is here: nobody is to wait for a pod.
    await server.close();
    expect((await fetch(`${node.url}/component`, postJson(popular))).ok).toBe(true);
    expect((await listedUris(node)).length).toBe(SIZE + 1);
    attacked = await AttackedNode.of(node);
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
