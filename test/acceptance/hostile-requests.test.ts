import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackedNode, attackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { metric, publish } from '../support/node/node-reader.js';
import { rawRequest } from '../support/raw-request.js';
import { inTorture, rounds } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';

/** Requests of one attack, from four clients; connections of one that pipelines, and bytes that each of them sends at once. */
const TIMES = rounds({ short: 4, full: 40 });
const CLIENTS = 4;
const CONNECTIONS = rounds({ short: 4, full: 74 });
const BYTES = 50_000;
/** Clients that post a large body at the same time. */
const POSTING = rounds({ short: 4, full: 24 });
/** Components that the node has. */
const SIZE = inTorture ? 20_000 : 1_000;
/** The heap of a small node, in MB: what is left behind must not add up. */
const HEAP = 600;
const IMPATIENT = new URL('../fixtures/impatient-sockets.mjs', import.meta.url);

interface SentRequest {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const slashes = (count: number) => '/'.repeat(count);
const numbers = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));
const uriOf = (i: number) => `https://c.example/@author-${i % 50}/component-${i}/index.js`;
const json = { 'content-type': 'application/json' };
const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` };

function bearer(issuer: string): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, sub: 'https://alice.example/', exp: 4_000_000_000 };
  return { authorization: `Bearer ${encode({ alg: 'ES256', kid: '1' })}.${encode(claims)}.AAAA` };
}

const post = (path: string, body: unknown, headers = {}): SentRequest => ({
  ...{ method: 'POST', path, headers: { ...json, ...headers } },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const page = (path: string): SentRequest => ({ path, headers: { accept: 'text/html' } });
const unknownKeys = (count: number) => Object.fromEntries(numbers(count, (i) => [`k${i}`, i]));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const BLANK = ' '.repeat(8_000_000);

/** As many components as one request may have, and as few as fill it. */
const LARGE_POSTS = {
  'long descriptions': numbers(1000, (i) => ({
    ...{ uri: `https://c.example/long/${i}.js`, label: String(i), description: 'x'.repeat(900) },
  })),
  'many shapes': numbers(290, (i) => ({
    ...{ uri: `https://c.example/shapes/${i}.js`, label: String(i) },
    shapes: numbers(64, (j) => `https://shapes.example/${i}/${j}/${'x'.repeat(20)}`),
  })),
};

/** What anybody may send, with the status that it gets. A number makes each of them another one, so that no cache answers. */
const ATTACKS: readonly (readonly [name: string, request: (i: number) => SentRequest, status: number])[] = [
  ['/invite/ and 15,000 slashes', () => ({ path: `/invite/${slashes(15_000)}` }), 414],
  ['/connection/ and 11,000 slashes', () => ({ path: `/connection/${slashes(11_000)}` }), 401],
  ['/c/ and 11,000 slashes', () => ({ path: `/c/http:${slashes(11_000)}` }), 404],
  [
    'a token whose iss is 11,500 slashes',
    () => ({ path: '/connection/', headers: bearer(`https://x${slashes(11_400)}x`) }),
    401,
  ],
  ['a query of 1 MB with unknown keys', () => post('/component/query', unknownKeys(70_000)), 413],
  ['a query of 64 kB with unknown keys', () => post('/component/query', unknownKeys(4_300)), 422],
  ['a body of 8 MB that nobody reads', () => post('/component', BLANK), 413],
  [
    'a thousand faulty descriptions',
    () =>
      post(
        '/component',
        numbers(1_000, (i) => ({ uri: i, tag: [i], label: i, [`x${i}`]: i })),
      ),
    422,
  ],
  ['JSON nested 490,000 deep', () => post('/component', nested(490_000)), 422],
  ['a write from another website', () => post('/component', BLANK, { origin: 'https://evil.example' }), 403],
  // Who may not ask gets no further than the token; the operator's own requests are small.
  ['a rehearsal of 8 MB, without a token', () => post('/rehearse', BLANK), 401],
  ['a rehearsal of 8 MB, from the operator', () => post('/rehearse', BLANK, asOperator), 413],
  ['a search', (i) => post('/component/query', { q: `number ${i} belongs` }), 200],
  ['a query for all of one trust', () => post('/component/query', { trust: 'own' }), 200],
  ['a page with a search', (i) => page(`/?q=number+${i}`), 200],
  ['why something is served', (i) => page(`/why?${new URLSearchParams({ uri: uriOf(i) })}`), 200],
  ['pages of components that are not there', (i) => page(`/c/https://x.example/${i}.js`), 404],
  ['a feed since a state that was never', (i) => ({ path: `/feed?since=abc.${i}.0123abcd` }), 410],
  ['the status', () => ({ path: '/status' }), 200],
  ['hints', (i) => post('/hint', { topic: `https://nobody.example/${i}` }), 202],
];

const raw = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
const rawPost = (path: string, body: string, length = body.length) =>
  [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json'].join('\r\n') +
  `\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** Requests that clients send without reading what comes; different ones each time. */
const PIPELINED: readonly (readonly [name: string, request: (i: number) => string])[] = [
  ['compressed listings', (i) => raw('/component', 'accept-encoding: gzip', `accept: text/turtle, x/${i}`)],
  ['pages of the feed', (i) => raw(`/feed?after=${i % SIZE}&limit=1000`, 'accept-encoding: gzip')],
  ['queries', (i) => rawPost('/component/query', JSON.stringify({ q: `number ${i}` }))],
  ['the shortest requests', () => 'GET /x HTTP/1.1\r\nhost:localhost\r\n\r\n'],
  ['lines of events', () => raw('/feed', 'accept: text/event-stream')],
];

describe('what a stranger sends keeps no other client waiting', () => {
  let issuer: FakeServer;
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    issuer = await fakeServer();
    issuer.on('/.well-known/openid-configuration', {
      body: { issuer: `${issuer.url('/')}${slashes(98_000)}x`, jwks_uri: issuer.url('/jwks') },
    });
    node = await startNode({
      config: { write: 'open', pins: 'off', connection: { enabled: true, issuers: [issuer.url('/')] } },
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP} --import ${IMPATIENT}` },
    });
    for (let from = 0; from < SIZE; from += 500) {
      const some = numbers(500, (i) => ({
        ...{ uri: uriOf(from + i), label: `Component ${from + i}`, shapes: [`https://s.example/${i}`] },
        description: `Shows number ${from + i} with all that belongs to it.`,
      }));
      await publish(node, ...some);
    }
    attacked = await attackedNode(node);
  });
  afterAll(() => node.kill());

  it.each(ATTACKS)('%s', async (name, request, status) => {
    expect(await attacked.by(name, () => sendMany(node, request, TIMES))).toEqual(new Set([status]));
  });

  it.each(Object.entries(LARGE_POSTS))(`${POSTING} clients at once, 1 MB of %s each`, async (what, body) => {
    const all = () => sendMany(node, () => post('/component', body), POSTING, POSTING);
    // The first one adds what the others say again.
    expect(new Set([200, 201, ...(await attacked.by(`1 MB of ${what}`, all))]).size).toBe(2);
  });

  it('tokens of an issuer that names itself with 98,000 slashes', async () => {
    const request = () => ({ path: '/connection/', headers: bearer(issuer.url('/')) });
    const all = () => sendMany(node, request, TIMES);
    expect(await attacked.by('an issuer with 98,000 slashes', all)).toEqual(new Set([503]));
    expect(issuer.requests.length).toBeGreaterThan(0);
  });

  it.each(PIPELINED)('connections that pipeline 50 kB of %s and do not read', async (what, request) => {
    let asked = 0;
    await unread(`${CONNECTIONS} connections with 50 kB of ${what}`, () => {
      let all = '';
      while (all.length < BYTES) all += request(asked++);
      return all;
    });
    expect((await fetch(`${node.url}/component`)).status).toBe(200);
  });

  it('bodies half sent, behind other requests and alone', async () => {
    const half = rawPost('/component', '[', 900_000) + ' '.repeat(400_000);
    await unread(`${CONNECTIONS} connections with half a body each`, (i) =>
      i % 2 === 0 ? raw('/component?limit=100').repeat(20) + half : half,
    );
    await publish(node, { uri: uriOf(0), label: 'Again' });
  });

  it('and leaves neither threads nor sockets nor memory behind, also where clients close nothing', async () => {
    for (const sent of [rawRequest('a.example:443', ['host: a.example:443'], 'CONNECT'), '{}\r\n\r\n']) {
      const open = async () => {
        const socket = await opened(node, { allowHalfOpen: true });
        socket.write(sent);
        await once(socket.resume(), 'end');
      };
      await attacked.by(`half open after ${sent.slice(0, 7)}`, () => Promise.all(numbers(TIMES, open)));
    }
    await attacked.expectRecovery();
    await node.stop();
  });

  /** Sends on connections of clients that never read, and ends them when the node has begun. */
  async function unread(what: string, textOf: (i: number) => string): Promise<void> {
    await attacked.by(what, async () => {
      const sockets = await Promise.all(numbers(CONNECTIONS, () => opened(node)));
      for (const [i, socket] of sockets.entries()) socket.write(textOf(i));
      // It has begun with what was sent before when it has answered another reader a few times.
      for (let i = 0; i < 5; i++) await metric(node, 'registry_http_requests_in_flight');
      expect(await metric(node, 'registry_feed_readers')).toBeLessThanOrEqual(CONNECTIONS);
      for (const socket of sockets) socket.destroy();
      // The request that asks is one of them, and that of the other client may be.
      let [requests, lines] = [0, 0];
      const isOver = async () => {
        requests = await metric(node, 'registry_http_requests_in_flight');
        lines = await metric(node, 'registry_feed_readers');
        return requests <= 2 && lines === 0;
      };
      // Where the kernel loses the reset of a client whose window is shut, nothing is taken for the time that may take.
      const describe = () => `${requests} requests and ${lines} lines to end`;
      await waitFor(isOver, { describe });
    });
  }
});

/** Sends requests with numbers from so many clients, each of which sends its next one when the one before is over. Gives the statuses. */
async function sendMany(
  node: NodeProcess,
  request: (i: number) => SentRequest,
  times: number,
  clients = CLIENTS,
): Promise<Set<number>> {
  const statuses = new Set<number>();
  let next = 0;
  const client = async () => {
    while (next < times) {
      const { path, ...sent } = request(next++);
      const answer = await fetch(node.url + path, sent);
      await answer.arrayBuffer();
      statuses.add(answer.status);
    }
  };
  await Promise.all(numbers(clients, client));
  return statuses;
}

/** A connection of a client that does not read. */
async function opened(node: NodeProcess, options = {}): Promise<Socket> {
  const { port } = new URL(node.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', ...options }).pause();
  socket.on('error', () => undefined);
  cleanup(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}
