import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResponseCache } from '../../src/http/response-cache.js';
import { systemClock } from '../../src/lib/clock.js';
import { ANY_ORIGIN } from '../../src/lib/http/headers/cors.js';
import { Problem } from '../../src/lib/http/problem.js';
import { type Answer, addResource, type Handler } from '../../src/lib/http/resource.js';
import { type Listening, listenOnNetwork } from '../../src/lib/http/server/server.js';
import { systemPace } from '../../src/lib/pace.js';
import { waitFor } from '../support/wait-for.js';

let state: object;
let server: Listening;
let router: Hono;
/** Readers of a body that is being sent. */
let held: number;
let cache: ResponseCache;
/** What the router was asked. */
let asked: string[];
let watched: string[];
let logged: string[];
/** What it answers, beside the body. */
let more: Partial<Answer>;

function hold(): () => void {
  held += 1;
  return () => {
    held -= 1;
  };
}
async function* pieces(...texts: (string | Error)[]): AsyncGenerator<string> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield text;
  }
}
const answer = (said: string): Answer => {
  asked.push(said);
  const headers = { 'content-type': 'text/plain', 'x-asked': String(asked.length) };
  return { status: 200, headers, body: `answer to ${said}`, ...more };
};
const question: Handler = async (c) =>
  answer(c.req.bodyAtHand?.toString() ?? `streamed ${(await c.req.raw.text()).length}`);
/** Waits until so many have asked. */
const many = (count: number) => waitFor(() => (cache.figures.hits + cache.figures.misses) % count === 0);
const ODD: Readonly<Record<string, Handler>> = {
  problem: () => Promise.reject(new Problem(409, 'Not now')),
  fault: () => {
    throw new Error('inside');
  },
  pieces: () => ({ status: 200, body: pieces('é', 'b'), streams: true }),
  header: () => ({ status: 200, headers: { location: 'a\r\nb: c' } }),
  cut: () => ({ status: 200, body: pieces('x', new Error('inside')), streams: true }),
  unsendable: () => many(2).then(() => ({ status: 200, headers: { location: 'λ' }, repeatable: true })),
  late: () => many(5).then(() => answer('late')),
  shared: () =>
    many(3).then(() => ({
      ...{ status: 200, body: Buffer.alloc(12_000_000), hold, streams: true, repeatable: true },
    })),
};

beforeEach(async () => {
  [state, asked, held, watched, logged, more] = [{}, [], 0, [], [], { repeatable: true }];
  cache = new ResponseCache({ maxBytes: 1_000_000, maxResponseBytes: 100_000, state: () => state });
  router = new Hono({ strict: false });
  const settings = {
    log: { error: (_fields: object, message: string) => void logged.push(message) },
    cache,
    routeMetrics: (route: string, method: string) => ({
      started: () => 0,
      finished: (_startedAt: number, status: number, bytes: number) =>
        void watched.push(`${method} ${route} ${status} ${bytes}`),
    }),
  };
  const thing: Handler = (c) => answer(c.req.header('accept') ?? '');
  addResource(router, { path: '/thing', cached: ['GET'], methods: { GET: thing } }, settings);
  addResource(router, { path: '/question', cached: ['POST'], methods: { POST: question } }, settings);
  const odd: Handler = (c) => ODD[c.req.path.slice(5)]?.(c) ?? answer(c.req.url);
  addResource(router, { path: '/odd/*', cached: ['GET'], cors: ANY_ORIGIN, methods: { GET: odd } }, settings);
  server = await listenOnNetwork(router.fetch, {
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, pace: systemPace, hostRule: undefined },
    cache,
    onRefused: () => undefined,
  });
});
afterEach(() => server.close());

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const { port } = server;
  const sent = request({ port, method, path, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('ResponseCache', () => {
  it('answers by itself what it has been asked before, just as the router did', async () => {
    const [first, , third] = [
      await send('GET', '/thing'),
      await send('GET', '/thing'),
      await send('GET', '/thing'),
    ];
    expect([asked.length, third.body]).toEqual([1, 'answer to ']);
    const { date: _date, ...headers } = third.headers;
    expect(first.headers).toMatchObject(headers);
    expect(watched).toEqual(Array(3).fill('GET /thing 200 10'));
  });

  it.each<[what: string, Record<string, string>, change?: () => void]>([
    ['another type', { accept: 'text/turtle' }],
    ['another coding', { 'accept-encoding': 'gzip' }],
    ['a condition', { 'if-none-match': '"x"' }],
    ['a token, and keeps nothing of that', { authorization: 'Bearer x' }],
    [
      'another state',
      {},
      () => {
        state = {};
      },
    ],
  ])('asks the router again for %s', async (_, headers, change) => {
    for (let i = 0; i < 3; i++) await send('GET', '/thing', { accept: 'a/b' });
    expect(asked).toHaveLength(1);
    change?.();
    await send('GET', '/thing', { accept: 'a/b', ...headers });
    expect(asked).toHaveLength(2);
    expect(cache.figures.answers).toBe(headers.authorization || change ? 1 : 2);
  });

  it('has what many ask for at once made once, and each for himself what is not for all', async () => {
    const ask = () => Promise.all(Array.from({ length: 5 }, () => send('GET', '/odd/late')));
    expect((await ask()).map(({ body }) => body)).toEqual(Array(5).fill('answer to late'));
    expect(asked).toEqual(['late']);
    state = {};
    more = {};
    expect(new Set((await ask()).map(({ headers }) => headers['x-asked'])).size).toBe(5);
  });

  it.each(['problem', 'fault', 'pieces', 'a/../b', 'a%2Fb', 'a?b=%20c', "it's", '%ff'])(
    'answers as the router would: /odd/%s',
    async (name) => {
      const sent = await send('GET', `/odd/${name}`);
      const { port } = server;
      asked = [];
      const routed = await router.request(`http://localhost:${port}/odd/${name}`);
      const { date: _date, connection: _connection, ...headers } = sent.headers;
      delete headers['keep-alive'];
      delete headers['transfer-encoding'];
      expect([sent.status, headers]).toEqual([routed.status, Object.fromEntries(routed.headers)]);
      expect(sent.body).toBe(await routed.text());
      expect(sent.body).not.toContain('inside');
    },
  );

  it.each([
    ['cut', 'inside'],
    ['header', 'Invalid character in header content ["location"]'],
  ])('closes the connection where an answer cannot be sent whole, and logs why: %s', async (name, why) => {
    await expect(send('GET', `/odd/${name}`)).rejects.toThrow(/aborted|hang up/);
    expect(watched.filter((line) => line.includes('/odd'))).toHaveLength(1);
    expect(logged).toEqual([why]);
  });

  it('neither stores nor counts as sent what cannot be sent, and outlives it, whoever waits for it', async () => {
    for (let i = 0; i < 2; i++) {
      const both = [send('GET', '/odd/unsendable'), send('GET', '/odd/unsendable')];
      for (const sent of both) await expect(sent).rejects.toThrow('hang up');
    }
    expect([logged.length, watched.length, cache.figures.answers]).toEqual([2, 2, 0]);
  });

  it('holds a whole body for each reader until they have it or have gone', async () => {
    const { port } = server;
    const ask = async (headers: Record<string, string> = {}) => {
      const sent = request({ port, path: '/odd/shared', headers, agent: false }).end();
      return ((await once(sent, 'response')) as [IncomingMessage])[0];
    };
    const leaving = connect(port).pause();
    leaving.write('GET /odd/shared HTTP/1.1\r\nHost: a\r\n\r\n');
    const readers = await Promise.all([ask(), ask()]);
    readers.push(await ask({ authorization: 'Bearer x' }));
    await waitFor(() => held === 4);
    leaving.destroy();
    await waitFor(() => held === 3);
    const [first, ...others] = readers;
    first?.destroy();
    await waitFor(() => held === 2);
    for (const other of others) other.resume();
    await waitFor(() => held === 0);
    await waitFor(() => others.every(({ complete }) => complete));
  });

  it('never keeps what may not be repeated, HEAD and errors', async () => {
    more = {};
    for (let i = 0; i < 3; i++) await send('GET', '/thing');
    more = { repeatable: true };
    for (let i = 0; i < 3; i++) await send('HEAD', '/thing');
    for (let i = 0; i < 3; i++) expect((await send('GET', '/nothing')).status).toBe(404);
    expect([asked.length, cache.figures.answers]).toEqual([6, 0]);
  });

  it('takes the body for a part of the question', async () => {
    const json = { 'content-type': 'application/json' };
    for (let i = 0; i < 4; i++) await send('POST', '/question', json, '{"a":1}');
    expect((await send('POST', '/question', json, '{"a":2}')).body).toBe('answer to {"a":2}');
    expect((await send('POST', '/question', json, '{"a":1}')).body).toBe('answer to {"a":1}');
    expect(asked).toEqual(['{"a":1}', '{"a":2}']);
  });

  it('drops what was least recently used when it is full, and never stores what is too large', async () => {
    const isMade = async (path: string, length: number) => {
      more = { repeatable: true, body: 'x'.repeat(length) };
      const before = asked.length;
      await send('GET', path);
      return asked.length > before;
    };
    for (let i = 0; i < 24; i++) expect(await isMade(`/thing?${i >> 1}`, 90_000)).toBe(true);
    expect(cache.figures.bytes).toBeLessThanOrEqual(1_000_000);
    expect(await isMade('/thing?11', 90_000)).toBe(false);
    expect(await isMade('/thing?0', 90_000)).toBe(true);
    for (let i = 0; i < 2; i++) expect(await isMade('/thing?large', 110_000)).toBe(true);
  });
});
