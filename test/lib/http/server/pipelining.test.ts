import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.js';
import { ResponseCache } from '../../../../src/lib/http/cache/response-cache.js';
import { addResource, type Handler } from '../../../../src/lib/http/resource.js';
import { listenOnNetwork } from '../../../../src/lib/http/server/server.js';
import { systemPace } from '../../../../src/lib/pace.js';
import { cleanup } from '../../../support/cleanup.js';
import { waitFor } from '../../../support/wait-for.js';

const BODY = 'x'.repeat(10_000);

let port: number;
/** The paths of requests that have begun, those that are not over, and the most of these at a time. */
let begun: string[];
let inHand: number;
let most: number;
/** The line that is open, if there is one. */
let lines: number;
const gate = new EventEmitter().setMaxListeners(1000);

const counted =
  (answer: Handler): Handler =>
  async (c) => {
    begun.push(c.req.path);
    inHand += 1;
    most = Math.max(most, inHand);
    try {
      return await answer(c);
    } finally {
      inHand -= 1;
    }
  };

async function* line() {
  lines += 1;
  try {
    yield ':\n\n';
    await once(gate, 'never');
  } finally {
    lines -= 1;
  }
}

/** Ends when its reader goes, also while it waits: a generator would not. */
function endless(): AsyncIterable<string> {
  const pieces = line();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => pieces.next(),
      async return() {
        lines -= 1;
        return { done: true, value: undefined };
      },
    }),
  };
}

beforeEach(async () => {
  [begun, inHand, most, lines] = [[], 0, 0, 0];
  const app = new Hono();
  const add = (path: string, methods: Record<string, Handler>) =>
    addResource(app, { path, methods }, { log: { error: (_, message) => expect.unreachable(message) } });
  add('/n/*', { GET: counted(async ({ req }) => ({ status: 200, body: `${req.path};` })) });
  add('/large/*', { GET: counted(async ({ req }) => ({ status: 200, body: `${req.path};${BODY}` })) });
  add('/slow/*', {
    GET: counted(async ({ req }) => {
      await once(gate, 'open');
      return { status: 200, body: `${req.path};` };
    }),
  });
  add('/line', { GET: counted(async () => ({ status: 200, body: endless(), endless: true })) });
  add('/echo', { POST: counted(async ({ req }) => ({ status: 200, body: await req.raw.text() })) });
  const server = await listenOnNetwork(app.fetch, {
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, pace: systemPace, knowsHost: undefined },
    cache: new ResponseCache({ maxBytes: 0, maxResponseBytes: 0, queryPath: '/query', state: () => 0 }),
    onUserAgent: () => undefined,
    onRefused: () => undefined,
  });
  cleanup(() => server.close());
  port = server.port;
});

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  socket.on('error', () => undefined);
  cleanup(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
const post = (body: string) =>
  `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const paths = (count: number, name = 'n') => Array.from({ length: count }, (_, i) => `/${name}/${i}`);
/** The last of so many closes the connection. */
const all = (of: readonly string[]) =>
  of.map((path, i) => (i < of.length - 1 ? get(path) : get(path, 'connection: close'))).join('');
/** The bodies of what `/n/` and `/slow/` answer. */
const answered = (received: string) => [...received.matchAll(/^(\/\w+\/\d+);/gm)].map(([, path]) => path);

describe('requests that are pipelined', () => {
  it.each(['n', 'large'])('are answered in their order, one after the other: /%s/', async (name) => {
    const asked = paths(2_000, name);
    const socket = await open();
    socket.write(all(asked));
    const received = await text(socket);
    expect(answered(received)).toEqual(asked);
    expect([begun, most]).toEqual([asked, 1]);
  });

  it('of several connections do not wait for one another', async () => {
    const [first, second] = [await open(), await open()];
    first.write(get('/slow/1') + get('/n/x'));
    await waitFor(() => inHand === 1);
    second.write(all(paths(100)));
    expect(answered(await text(second))).toEqual(paths(100));
    expect(begun).not.toContain('/n/x');
    gate.emit('open');
    await waitFor(() => begun.includes('/n/x'));
  });

  it('keep their bodies', async () => {
    const bodies = Array.from({ length: 50 }, (_, i) => `${i}:${String(i % 10).repeat(i * 997)};`);
    const socket = await open();
    socket.write(get('/n/1') + bodies.map(post).join('') + get('/n/2', 'connection: close'));
    const received = await text(socket);
    expect(received.match(/^\d+:\d*;/gm)).toEqual(bodies);
    expect(answered(received)).toEqual(['/n/1', '/n/2']);
  });

  it.each([
    ['a few', 5],
    ['more than are parsed', 5_000],
  ])('never begin when the connection closes before: %s', async (_, count) => {
    const socket = await open();
    socket.write(
      get('/slow/1') +
        paths(count)
          .map((path) => get(path))
          .join(''),
    );
    await waitFor(() => inHand === 1);
    socket.destroy();
    const other = await open();
    other.write(get('/n/1', 'connection: close'));
    await text(other);
    gate.emit('open');
    await waitFor(() => inHand === 0);
    for (let i = 0; i < 100; i++) await turn();
    // One may begin before the system says that the answer to the first has reached nobody.
    expect(begun.length).toBeLessThanOrEqual(3);
  });

  it('wait while the client reads nothing', async () => {
    const socket = (await open()).pause();
    // Far more than the buffers of two sockets hold.
    socket.write(
      paths(2_000, 'large')
        .map((path) => get(path))
        .join(''),
    );
    await waitFor(() => begun.length > 10);
    let before = 0;
    await waitFor(async () => {
      const settled = before === begun.length;
      before = begun.length;
      for (let i = 0; i < 200; i++) await turn();
      return settled;
    });
    expect(begun.length).toBeLessThan(2_000);
    socket.resume();
    await waitFor(() => begun.length === 2_000);
  });

  it('are dropped behind an answer that goes on, which ends with its connection', async () => {
    const socket = await open();
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    socket.write(get('/line') + get('/line') + all(paths(5_000)));
    await waitFor(() => received.includes(':\n\n'));
    expect(received).toMatch(/^connection: close\r$/im);
    socket.write(get('/n/1'));
    for (let i = 0; i < 100; i++) await turn();
    expect([begun, lines]).toEqual([['/line'], 1]);
    socket.end();
    await waitFor(() => lines === 0);
  });

  it('are dropped behind one that is the last, or that cannot be read', async () => {
    for (const last of [
      get('/n/2', 'connection: close'),
      'no HTTP\r\n\r\n',
      'CONNECT a.example:443 HTTP/1.1\r\n\r\n',
    ]) {
      begun = [];
      const socket = await open();
      socket.write(
        get('/n/1') +
          last +
          paths(200)
            .map((path) => get(path))
            .join(''),
      );
      await text(socket);
      expect(begun.filter((path) => path !== '/n/2')).toEqual(['/n/1']);
    }
  });

  it('do no harm to connections that are not parsed any more', async () => {
    const refused = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    cleanup(() => refused.destroy());
    refused.write('CONNECT a.example:443 HTTP/1.1\r\n\r\n');
    await once(refused.resume(), 'end');
    const socket = await open();
    socket.write(all(paths(10)));
    expect(answered(await text(socket))).toEqual(paths(10));
  });

  it('wait behind one whose expectation cannot be met, however many there are', async () => {
    const socket = (await open()).pause();
    socket.write(
      get('/slow/1') + get('/n/1', 'expect: the-impossible').repeat(1_000) + get('/n/2', 'connection: close'),
    );
    await waitFor(() => inHand === 1);
    for (let i = 0; i < 100; i++) await turn();
    gate.emit('open');
    const received = await text(socket.resume());
    expect(received.match(/HTTP\/1.1 417 /g)).toHaveLength(1_000);
    expect(answered(received)).toEqual(['/slow/1', '/n/2']);
  });
});
