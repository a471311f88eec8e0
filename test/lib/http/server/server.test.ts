import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { component, createTestApp, type TestApp } from '../../../acceptance/adapters/registry-app.js';
import { sendRaw } from '../../../support/raw-request.js';
import { expectSoon } from '../../../support/wait-for.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
/** Together more than the buffers of two sockets take. */
const COUNT = 600;
const MANY = Array.from({ length: COUNT }, (_, i) =>
  component(`https://c.example/${String(i).padStart(6, '0')}.js`, { description: 'x'.repeat(16_000) }),
);

let test: TestApp;
let server: Server;
let port: number;

beforeAll(async () => {
  test = await createTestApp();
  await test.say(POD, MANY);
  server = serve({ fetch: test.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await test.registry.close();
});

async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

const inFlight = async () => {
  const metrics = await (await test.app.request('/metrics')).text();
  // The request that asks is one of them.
  return Number(/^registry_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]) - 1;
};

describe('on a real server', () => {
  it('answers what was there when the listing began', async () => {
    const response = await answerTo(
      get({ port, path: '/component', headers: { accept: 'application/n-quads' } }),
    );
    await test.say(POD, [component('https://c.example/zzz.js')]);
    const body = await text(response);
    expect(body.match(/#label>/g)).toHaveLength(COUNT);
    expect(body).not.toContain('zzz.js');
    await test.say(POD, MANY);
  });

  it('waits for a slow reader instead of buffering, and stops when it leaves', async () => {
    const failures: unknown[] = [];
    const note = (reason: unknown) => failures.push(reason);
    process.on('unhandledRejection', note);
    try {
      const sent = get({ port, path: '/component' });
      const response = await answerTo(sent);
      await once(response, 'readable');
      expect(await inFlight()).toBe(1);
      sent.destroy();
      await expectSoon(async () => expect(await inFlight()).toBe(0));
      expect(await text(await answerTo(get({ port, path: '/health' })))).toBe('{"status":"serving"}\n');
      expect([failures, test.logged]).toEqual([[], []]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it.each([
    'GET //component//?%%% HTTP/1.1\r\nHost: x',
    'GET /component HTTP/1.1\r\nHost: x\r\nAccept: \x80\xff;q=,,"\r\nIf-None-Match: "\xfe',
    'GET /component?limit=1 HTTP/1.1\r\nHost: x\r\nIf-Modified-Since: ,\r\nIf-None-Match: W/',
    'GET /../../etc/passwd HTTP/1.1\r\nHost: x',
    'GET http://other.example/component?limit=1 HTTP/1.1\r\nHost: x',
    'DELETE /c/%00 HTTP/1.1\r\nHost: x',
    'POST /component HTTP/1.1\r\nHost: x\r\nContent-Type: ;;;\r\nContent-Length: 0',
    'TRACE /component HTTP/1.1\r\nHost: x',
    'PROPFIND /component HTTP/1.1\r\nHost: x',
  ])('%j is no reason for a 5xx', async (head) => {
    const { status } = await sendRaw(port, Buffer.from(`${head}\r\nConnection: close\r\n\r\n`, 'latin1'));
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(500);
  });
});
