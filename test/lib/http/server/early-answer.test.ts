import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { ResponseCache } from '../../../../src/http/response-cache.js';
import { systemClock } from '../../../../src/lib/clock.js';
import { respond } from '../../../../src/lib/http/response/sending.js';
import { type FetchHandler, listenOnNetwork } from '../../../../src/lib/http/server/server.js';
import { startInProcess } from '../../../acceptance/adapters/in-process-node.js';
import { cleanup } from '../../../support/cleanup.js';
import { OPERATOR_TOKEN } from '../../../support/node/node-options.js';
import { waitFor } from '../../../support/wait-for.js';

/** More than a socket's buffers hold: the answer comes while it is being sent. */
const LARGE = Buffer.alloc(8_000_000, ' ');

let url: string;
beforeAll(async () => {
  ({ url } = await startInProcess({
    config: { write: 'operator', connection: {} },
  }));
});

type Case = readonly [status: number, method: string, path: string, headers: Record<string, string>];
const token = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const json = { 'content-type': 'application/json' };
const CASES: readonly Case[] = [
  [413, 'POST', '/component', { ...token, ...json }],
  [413, 'POST', '/component/query', json],
  [413, 'POST', '/connection/', { ...token, ...json }],
  [401, 'POST', '/component', json],
  [404, 'POST', '/nowhere', {}],
  [405, 'PUT', '/component', {}],
  [406, 'POST', '/component', { ...token, ...json, accept: 'image/png' }],
  [406, 'POST', '/component/query', { ...json, accept: 'image/png' }],
  [414, 'POST', `/${'a'.repeat(13_000)}`, {}],
  [204, 'OPTIONS', '/component', {}],
  [200, 'GET', '/health', {}],
];

/** Sends requests one after the other over one connection, as long as that is kept. */
function pooled() {
  const pool = new Pool(url, { connections: 1 });
  cleanup(() => pool.destroy());
  return async (method: string, path: string, headers = {}, body?: Buffer | Readable) => {
    const answer = await pool.request({ method, path, headers, body } as never);
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  };
}

/** A body whose length nobody knows before it ends. */
function* pieces() {
  for (let at = 0; at < LARGE.length; at += 50_000) yield LARGE.subarray(at, at + 50_000);
}

describe('a pooled client', () => {
  it.each(CASES)(
    'gets %i for %s %s while it sends, and its next request through',
    async (status, method, path, headers) => {
      const send = pooled();
      const answer = await send(method, path, headers, LARGE);
      expect([answer.status, answer.headers.connection]).toEqual([status, 'close']);
      if (status >= 400) expect(JSON.parse(answer.body)).toMatchObject({ status });
      expect((await send('GET', '/health')).status).toBe(200);
    },
  );

  it('gets 24 of 24 requests through after bodies that turn out too large', async () => {
    const send = pooled();
    const statuses: number[] = [];
    for (let i = 0; i < 24; i++) {
      const body = Readable.from(pieces());
      statuses.push((await send('POST', '/component/query', json, body)).status);
      statuses.push((await send('GET', '/health')).status);
    }
    expect(statuses).toEqual(Array.from({ length: 24 }, () => [413, 200]).flat());
  });

  it('keeps its connection when the body was read', async () => {
    const answer = await pooled()('POST', '/component/query', json, Buffer.from('{}'));
    expect([answer.status, answer.headers.connection]).toEqual([200, 'keep-alive']);
  });
});

it('drops a body piece by piece, and gives way to other requests after each', async () => {
  const pauses: (() => void)[] = [];
  const pace = () => () => new Promise<void>((go) => pauses.push(go));
  const sockets: Socket[] = [];
  const cache = new ResponseCache({ maxBytes: 0, maxResponseBytes: 0, state: () => 0 });
  const handler: FetchHandler = (_, bindings) => {
    const { outgoing } = bindings as { outgoing: ServerResponse & { req: IncomingMessage } };
    sockets.push(outgoing.req.socket);
    const answer = { status: 413, headers: { 'content-length': '2' }, body: 'no' };
    return respond({ ...answer, finished: () => undefined }, 'POST', outgoing);
  };
  const options = { host: '127.0.0.1', port: 0, clock: systemClock, pace, cache };
  const { port, close } = await listenOnNetwork(handler, options);
  cleanup(close);
  const sent = request({ port, method: 'POST', headers: { 'content-length': LARGE.length } });
  // The connection is closed before all of it has been sent.
  sent.on('error', () => undefined).end(LARGE);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await waitFor(() => pauses.length === 1);
  // Answered in a later turn of the event loop, in which the rest of the large body could have been read, too.
  const [other] = (await once(request({ port }).end(), 'response')) as [IncomingMessage];
  expect([answer.statusCode, other.statusCode]).toEqual([413, 413]);
  expect(sockets[0]?.bytesRead).toBeLessThan(400_000);
  pauses.shift()?.();
  await waitFor(() => pauses.length === 1);
  expect(sockets[0]?.bytesRead).toBeLessThan(600_000);
});
