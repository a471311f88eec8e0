import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { ResponseCache } from '../../../../src/http/response-cache.js';
import { systemClock } from '../../../../src/lib/clock.js';
import { addResource, type Handler } from '../../../../src/lib/http/resource.js';
import { listenOnNetwork } from '../../../../src/lib/http/server/server.js';
import { systemPace } from '../../../../src/lib/pace.js';
import { cleanup } from '../../../support/cleanup.js';
import { waitFor } from '../../../support/wait-for.js';

const BODY = 'x'.repeat(10_000);
/** More than the buffers of two sockets hold. */
const HUGE = 20_000_000;
const SEND_MS = 1500;

let port: number;
/** The paths of requests that have begun, and how many are not over. */
let begun: string[];
let inHand: number;
/** Readers of something large that have it, or have gone. */
let left: number;
/** The line that is open, if there is one. */
let lines: number;
const gate = new EventEmitter().setMaxListeners(1000);

const counted =
  (answer: Handler): Handler =>
  async (c) => {
    begun.push(c.req.path);
    inHand += 1;
    try {
      return await answer(c);
    } finally {
      inHand -= 1;
    }
  };

/** Ends when its reader goes, also while it waits: a generator would not. */
function line(): AsyncIterable<string> {
  const pieces = [':\n\n'].values();
  lines += 1;
  const iterator = {
    async next() {
      const piece = pieces.next();
      if (piece.done) await once(gate, 'never');
      return piece;
    },
    async return() {
      lines -= 1;
      return { done: true as const, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Has all of its bytes before whoever makes it is done. */
function unfinished() {
  async function* pieces() {
    yield BODY.repeat(30);
    yield BODY;
    await once(gate, 'never');
  }
  return Object.assign(pieces(), { bytes: 31 * BODY.length });
}

/** Tells when its reader has gone. */
async function* held(pieces: AsyncIterable<Uint8Array>, release: () => void) {
  try {
    yield* pieces;
  } finally {
    release();
  }
}

beforeEach(async () => {
  [begun, inHand, left, lines] = [[], 0, 0, 0];
  const app = new Hono({ strict: false });
  const cache = new ResponseCache({ maxBytes: 0, maxResponseBytes: 0, state: () => 0 });
  const log = { error: (_: object, message: string) => expect.unreachable(message) };
  const add = (path: string, methods: Record<string, Handler>) =>
    addResource(app, { path, methods }, { log });
  const pieces = { GET: counted(async () => ({ status: 200, body: unfinished(), streams: true })) };
  add('/pieces/*', pieces);
  addResource(app, { path: '/cached/*', methods: pieces, cached: ['GET'] }, { log, cache });
  add('/n/*', { GET: counted(async ({ req }) => ({ status: 200, body: `${req.path};` })) });
  add('/large/*', { GET: counted(async ({ req }) => ({ status: 200, body: `${req.path};${BODY}` })) });
  add('/slow/*', {
    GET: counted(async ({ req }) => {
      await once(gate, 'open');
      return { status: 200, body: `${req.path};` };
    }),
  });
  add('/line', { GET: counted(async () => ({ status: 200, body: line(), endless: true })) });
  add('/echo', {
    POST: counted(async ({ req }) => ({ status: 200, body: await req.raw.text().catch(() => '') })),
  });
  const hold = () => () => {
    left += 1;
  };
  add('/whole', { GET: () => ({ status: 200, body: Buffer.alloc(HUGE), hold, streams: true }) });
  async function* hugePieces() {
    for (let i = 0; i < 100; i++) yield Buffer.alloc(HUGE / 100);
  }
  add('/parts', { GET: () => ({ status: 200, body: held(hugePieces(), hold()), streams: true }) });
  const server = await listenOnNetwork(app.fetch, {
    ...{ sendMs: SEND_MS },
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, pace: systemPace, hostRule: undefined },
    cache,
    onRefused: () => undefined,
  });
  cleanup(() => server.close());
  port = server.port;
});

async function open(more: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', ...more }).setNoDelay(true);
  socket.on('error', () => undefined);
  cleanup(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What is received of an answer with so many bytes at least. */
async function ask(socket: Socket, path: string, bytes: number): Promise<string> {
  socket.write(get(path));
  let received = '';
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    received += data;
    if ((received.split('\r\n\r\n')[1] ?? '').length >= bytes) break;
  }
  return received;
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
  it.each([
    ['n', 2],
    ['large', 2],
    ['n', 5_000],
  ])('never begin behind an answer, which is whole: /%s/, %i of them', async (name, count) => {
    const socket = await open();
    socket.write(all(paths(count, name)));
    const received = await text(socket);
    expect([begun, answered(received)]).toEqual([[`/${name}/0`], [`/${name}/0`]]);
    if (name === 'large') expect(received.endsWith(BODY)).toBe(true);
  });

  it('leave the connection half open, so that the answer is not lost to a client that is still sending', async () => {
    const socket = await open({ allowHalfOpen: true });
    socket.write(get('/slow/1') + get('/n/1'));
    await waitFor(() => inHand === 1);
    for (let i = 0; i < 50; i++) socket.write(all(paths(1_000)));
    gate.emit('open');
    expect(answered(await text(socket))).toEqual(['/slow/1']);
    await waitFor(() => socket.destroyed);
    expect(begun).toEqual(['/slow/1']);
  });

  it('are those before their turn alone: one that follows an answer has its own', async () => {
    const socket = await open();
    for (const path of paths(50, 'large')) {
      expect(answered(await ask(socket, path, BODY.length))).toEqual([path]);
    }
    for (const body of ['first', 'second']) {
      socket.write(post(body));
      await waitFor(() => String(socket.read() ?? '').endsWith(body));
    }
  });

  it.each(['pieces', 'cached'])('are none behind all bytes of an answer in pieces: /%s/', async (name) => {
    const socket = await open();
    for (const path of paths(10, name)) await ask(socket, path, 31 * BODY.length);
    expect(begun).toEqual(paths(10, name));
  });

  it('are dropped behind an answer that goes on, which ends with its connection', async () => {
    const socket = await open();
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    socket.write(get('/line') + get('/line') + all(paths(5_000)));
    await waitFor(() => received.includes(':\n\n'));
    socket.write(get('/n/1'));
    for (let i = 0; i < 100; i++) await turn();
    expect([begun, lines]).toEqual([['/line'], 1]);
    socket.end();
    await waitFor(() => lines === 0);
  });

  it.each([
    ['cannot be read', 'no HTTP\r\n\r\n'],
    ['have an expectation that cannot be met', get('/n/1', 'expect: the-impossible').repeat(1_000)],
  ])('do not get into the answer before them, also when they %s', async (_, more) => {
    const socket = await open();
    socket.write(get('/slow/1') + more + all(paths(200)));
    await waitFor(() => inHand === 1);
    gate.emit('open');
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect([begun, answered(received)]).toEqual([['/slow/1'], ['/slow/1']]);
  });

  it('do not hide that the body of the request before them cannot be read', async () => {
    const socket = await open();
    const head = 'POST /echo HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';
    socket.write(`${head}no chunk\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('an answer of which its client takes nothing', () => {
  it.each(['/whole', '/parts'])('ends with its connection: %s', async (path) => {
    const socket = (await open()).pause();
    socket.write(get(path).repeat(20));
    await waitFor(() => left === 1);
    await waitFor(() => socket.resume().destroyed);
    expect(socket.bytesRead).toBeLessThan(HUGE);
  });

  it('is none as long as it takes some of it now and then', async () => {
    const socket = await open();
    socket.write(get('/whole'));
    for await (const _ of socket.iterator({ destroyOnReturn: false })) {
      if (socket.bytesRead > HUGE) break;
      if (socket.bytesRead < HUGE / 4) await systemClock.sleep(SEND_MS / 50);
    }
    expect(socket.bytesRead).toBeGreaterThan(HUGE);
  });
});
