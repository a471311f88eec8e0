import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { type SentRequest, sendMany } from '../support/many-requests.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { rawRequest, sendRaw } from '../support/raw-request.js';
import { rounds } from '../support/torture.js';

/** Requests of one attack, from four clients. */
const TIMES = rounds({ short: 4, full: 40 });
const CLIENTS = 4;
/** Clients that post a large body at the same time. */
const POSTING = rounds({ short: 6, full: 24 });

const slashes = (count: number) => '/'.repeat(count);
const json = { 'content-type': 'application/json' };

function bearer(issuer: string): Record<string, string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, sub: 'https://alice.example/', exp: 4_000_000_000 };
  return { authorization: `Bearer ${encode({ alg: 'ES256', kid: '1' })}.${encode(claims)}.AAAA` };
}

/** So many descriptions, each with every fault that there is. */
const faulty = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => ({ uri: i, tag: [i], label: i, [`x${i}`]: i })));
const unknownKeys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));

const numbers = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));

/** As many components as one request may have, and as few as fill it. */
const LARGE_POSTS: Readonly<Record<string, readonly object[]>> = {
  'long descriptions': numbers(1000, (i) => ({
    uri: `https://c.example/long/${i}.js`,
    label: String(i),
    description: 'x'.repeat(900),
  })),
  'many shapes': numbers(290, (i) => ({
    uri: `https://c.example/shapes/${i}.js`,
    label: String(i),
    shapes: numbers(64, (j) => `https://shapes.example/${i}/${j}/${'x'.repeat(20)}`),
  })),
};

const rehearsal = (body: string | Buffer, headers: Record<string, string> = {}): SentRequest => ({
  ...{ method: 'POST', path: '/rehearse', body },
  headers: { ...json, ...headers },
});
const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` };

type Attack = readonly [name: string, request: SentRequest, status: number];

/** What anybody may send to a node as it is configured by default, and to one with writing open. */
const ATTACKS: readonly Attack[] = [
  ...['connection', 'invite', 'resource', 'exchange'].map(
    (name): Attack => [`/${name}/ and 15,000 slashes`, { path: `/${name}/${slashes(15_000)}` }, 414],
  ),
  ...['connection', 'invite', 'resource'].map(
    (name): Attack => [`/${name}/ and 11,000 slashes`, { path: `/${name}/${slashes(11_000)}` }, 401],
  ),
  ['/c/ and 11,000 slashes', { path: `/c/http:${slashes(11_000)}` }, 404],
  [
    'a token whose iss is 11,500 slashes',
    { path: '/connection/', headers: bearer(`https://x${slashes(11_400)}x`) },
    401,
  ],
  [
    'a query of 1 MB with unknown keys',
    { method: 'POST', path: '/component/query', headers: json, body: unknownKeys(70_000) },
    413,
  ],
  [
    'a query of 64 kB with unknown keys',
    { method: 'POST', path: '/component/query', headers: json, body: unknownKeys(4_300) },
    422,
  ],
  [
    'a body of 8 MB that nobody reads',
    { method: 'POST', path: '/component', headers: json, body: Buffer.alloc(8_000_000, ' ') },
    413,
  ],
  [
    'a thousand faulty descriptions',
    { method: 'POST', path: '/component', headers: json, body: faulty(1_000) },
    422,
  ],
  [
    'JSON nested 490,000 deep',
    {
      method: 'POST',
      path: '/component',
      headers: json,
      body: '['.repeat(490_000) + ']'.repeat(490_000),
    },
    422,
  ],
  [
    'a write from another website',
    {
      method: 'POST',
      path: '/component',
      headers: { ...json, origin: 'https://evil.example' },
      body: JSON.stringify({
        uri: 'https://evil.example/x.js',
        label: 'x',
        description: 'x'.repeat(900_000),
      }),
    },
    403,
  ],
  // Who may not ask gets no further than the token; the operator's own requests are small.
  ['a rehearsal of 8 MB, without a token', rehearsal(Buffer.alloc(8_000_000, ' ')), 401],
  ['a rehearsal of 8 MB, from the operator', rehearsal(Buffer.alloc(8_000_000, ' '), asOperator), 413],
  ['a rehearsal 2,000 deep', rehearsal('['.repeat(2000) + ']'.repeat(2000), asOperator), 422],
  ['a foreign name in Host', { path: '/component', headers: { host: 'evil.example' } }, 421],
];

describe('what a stranger sends keeps no other client waiting', () => {
  let issuer: FakeServer;
  let node: NodeProcess;
  let attacked: AttackedNode;

  beforeAll(async () => {
    issuer = await fakeServer();
    cleanup(() => issuer.close());
    const named = `${issuer.url('/')}${slashes(98_000)}x`;
    issuer.on('/.well-known/openid-configuration', {
      body: { issuer: named, jwks_uri: issuer.url('/jwks') },
    });
    node = await startNode({
      config: { write: 'open', connection: { enabled: true, issuers: [issuer.url('/')] } },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    attacked = await AttackedNode.of(node);
  });
  afterAll(() => node.kill());

  it.each(ATTACKS)('%s', async (name, request, status) => {
    const statuses = await attacked.by(name, () =>
      sendMany(node.url, request, { clients: CLIENTS, times: TIMES }),
    );
    expect(statuses).toEqual({ [status]: TIMES });
  });

  it.each(Object.keys(LARGE_POSTS))(`${POSTING} clients at once, 1 MB of %s each`, async (what) => {
    const body = JSON.stringify(LARGE_POSTS[what]);
    expect(body.length).toBeGreaterThan(900_000);
    const post = { method: 'POST', path: '/component', headers: json, body };
    const statuses = await attacked.by(`${POSTING} clients at once, 1 MB of ${what} each`, () =>
      sendMany(node.url, post, { clients: POSTING, times: POSTING }),
    );
    // The first one adds what the others say again.
    expect(Object.keys(statuses).filter((status) => !['200', '201'].includes(status))).toEqual([]);
  });

  it('two names in Host', async () => {
    const sent = rawRequest('/component', ['host: localhost', 'host: evil.example']);
    const statuses = await attacked.by('two names in Host', async () => {
      const answers = Array.from({ length: TIMES }, () => sendRaw(Number(new URL(node.url).port), sent));
      return (await Promise.all(answers)).map(({ status }) => status);
    });
    expect(new Set(statuses)).toEqual(new Set([400]));
  });

  it.each([
    ['CONNECT', rawRequest('a.example:443', ['host: a.example:443'], 'CONNECT')],
    ['no HTTP', '{}\r\n\r\n'],
  ])('connections that a client does not close: %s', async (what, sent) => {
    const { port } = new URL(node.url);
    const open = async () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
      socket.write(sent);
      await once(socket.resume(), 'end');
      return socket;
    };
    const sockets = await attacked.by(`connections that stay half open after ${what}`, () =>
      Promise.all(Array.from({ length: TIMES }, open)),
    );
    await attacked.expectRecovery();
    for (const socket of sockets) socket.destroy();
  });

  it('tokens of an issuer that names itself with 98,000 slashes', async () => {
    const request = { path: '/connection/', headers: bearer(issuer.url('/')) };
    const statuses = await attacked.by('an issuer that names itself with 98,000 slashes', () =>
      sendMany(node.url, request, { clients: CLIENTS, times: TIMES }),
    );
    expect(statuses).toEqual({ 503: TIMES });
    expect(issuer.requests.length).toBeGreaterThan(0);
  });

  it('pages of components that are not there, without end', async () => {
    const statuses = await attacked.by('pages of components without end', async () => {
      const all: Record<string, number>[] = [];
      for (let i = 0; i < TIMES; i++) {
        const page = { path: `/c/https://x.example/${i}.js`, headers: { accept: 'text/html' } };
        all.push(await sendMany(node.url, page, { clients: CLIENTS, times: 10 }));
      }
      return all.flatMap((one) => Object.keys(one));
    });
    expect(new Set(statuses)).toEqual(new Set(['404']));
  });

  it('and leaves neither threads nor sockets nor memory behind', async () => {
    await attacked.expectNothingLeft();
    await node.stop();
  });
});
