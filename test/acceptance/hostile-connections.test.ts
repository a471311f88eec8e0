import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { postJson } from '../support/node/post-json.js';
import { inTorture, rounds } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

/** Connections of one attack, and bytes of requests that each of them sends at once. */
const CONNECTIONS = rounds({ short: 4, full: 74 });
const BYTES = 50_000;
/** Components that the node has. */
const SIZE = inTorture ? 2_000 : 1_000;
/** Within which everything must be given back, in ms. */
const BACK = 60_000;
/** The heap of a small node, in MB: what is left behind must not add up. */
const HEAP = 600;

const uriOf = (i: number) => `https://c.example/@author-${i % 50}/component-${i}/index.js`;
const components = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    uri: uriOf(from + i),
    label: `Component ${from + i}`,
    description: `Shows number ${from + i} with all that belongs to it.`,
    shapes: [`https://shapes.example/${(from + i) % 100}`],
  }));

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
const post = (path: string, body: string, length = body.length) =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json'].join('\r\n') +
  `\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** Different ones each time, so that no cache answers. */
let asked = 0;
const LINE = get('/feed', 'accept: text/event-stream');
const ATTACKS: readonly (readonly [name: string, request: () => string])[] = [
  [
    'compressed listings',
    () => get('/component', 'accept-encoding: gzip', `accept: text/turtle, x/${asked++}`),
  ],
  ['listings', () => get('/component', `accept: application/json, x/${asked++}`)],
  ['pages of the listing', () => get(`/component?limit=${100 + (asked++ % 400)}`, 'accept-encoding: gzip')],
  ['pages of the feed', () => get(`/feed?after=${asked++ % SIZE}&limit=1000`, 'accept-encoding: gzip')],
  ['web pages', () => get(`/c/${uriOf(asked++ % SIZE)}`, 'accept: text/html')],
  ['queries', () => post('/component/query', JSON.stringify({ q: `number ${asked++}` }))],
  ['requests to the connection service', () => get('/connection/')],
  ['the shortest requests', () => 'GET /x HTTP/1.1\r\nhost:localhost\r\n\r\n'],
  ['lines of events', () => LINE],
];

describe('connections that pipeline and do not read', () => {
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    node = await startNode({
      config: { write: 'open', connection: { enabled: true } },
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` },
    });
    for (let i = 0; i < SIZE; i += 500) {
      const answer = await fetch(`${node.url}/component`, postJson(components(i, i + 500)));
      expect(answer.status).toBe(201);
    }
    attacked = await AttackedNode.of(node);
  });
  afterAll(() => node.kill());

  it.each(ATTACKS)('50 kB of %s', async (what, request) => {
    await attacked.by(`${CONNECTIONS} connections with 50 kB of ${what}`, async () => {
      const sockets = await openAll(node);
      for (const socket of sockets) socket.write(repeated(request));
      await whenItHasBegun(node);
      expect(await metric(node, 'registry_feed_readers')).toBeLessThanOrEqual(CONNECTIONS);
      for (const socket of sockets) socket.destroy();
      await nothingInHand(node);
    });
    expect((await fetch(`${node.url}/component`)).status).toBe(200);
  });

  it('bodies half sent, behind other requests and alone', async () => {
    const half = () => post('/component', '[', 900_000) + ' '.repeat(400_000);
    await attacked.by(`${CONNECTIONS} connections with half a body each`, async () => {
      const sockets = await openAll(node);
      for (const [i, socket] of sockets.entries())
        socket.write((i % 2 === 0 ? get('/component?limit=100').repeat(20) : '') + half());
      await whenItHasBegun(node);
      for (const socket of sockets) socket.destroy();
      await nothingInHand(node);
    });
    const answer = await fetch(`${node.url}/component`, postJson(components(0, 500)));
    expect(answer.status).toBe(200);
  });

  it('and leaves neither threads nor sockets nor memory behind', async () => {
    await attacked.expectNothingLeft();
    await node.stop();
  });
});

function repeated(request: () => string): string {
  let all = '';
  while (all.length < BYTES) all += request();
  return all;
}

/** Connections of a client that never reads. */
function openAll(node: NodeProcess): Promise<Socket[]> {
  const { port } = new URL(node.url);
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' }).pause();
      socket.on('error', () => undefined);
      cleanup(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
}

/** Resolves when the node has begun with what was sent before: it has answered another reader a few times. */
async function whenItHasBegun(node: NodeProcess): Promise<void> {
  for (let i = 0; i < 5; i++) await metric(node, 'registry_http_requests_in_flight');
}

async function nothingInHand(node: NodeProcess): Promise<void> {
  let [requests, lines] = [0, 0];
  const isNothing = async () => {
    requests = await metric(node, 'registry_http_requests_in_flight');
    lines = await metric(node, 'registry_feed_readers');
    // The request that asks is one of them.
    return requests === 1 && lines === 0;
  };
  const describe = () => `${requests} requests and ${lines} lines to end`;
  await waitFor(isNothing, { timeoutMs: BACK, describe });
}

async function metric(node: NodeProcess, name: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}
