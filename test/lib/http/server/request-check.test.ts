import { beforeAll, describe, expect, it } from 'vitest';
import { startInProcess } from '../../../acceptance/adapters/in-process-node.js';
import { OPERATOR_TOKEN } from '../../../support/node/node-options.js';
import { rawRequest, sendRaw } from '../../../support/raw-request.js';

let port: number;
/** Of a node that anyone may write to, and that therefore answers to its own names only. */
let open: number;
beforeAll(async () => {
  ({ port } = await startInProcess({
    config: { write: 'off', connection: {} },
  }));
  ({ port: open } = await startInProcess({ config: { write: 'open' } }));
});

/** What a request comes to, once it has been seen to be a problem document. */
async function problem(sent: string, of = port): Promise<{ status: number; detail: string }> {
  const { status, headers, body } = await sendRaw(of, sent);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('connection')).toBe('close');
  const said = JSON.parse(body);
  expect(said.status).toBe(status);
  return { status, detail: said.detail };
}

const token = `authorization: Bearer ${OPERATOR_TOKEN}`;
const target = (length: number, start = '/connection/') => start + '/'.repeat(length - start.length);

/** As docs/security.md says. */
const MAX_TARGET = 12_288;

describe('the target of a request', () => {
  it.each(['/connection/', '/invite/', '/resource/', '/exchange/', '/c/', '/component?', '/'])(
    'may be so long, and no longer: %s',
    async (start) => {
      const longest = await sendRaw(port, rawRequest(target(MAX_TARGET, start), ['host: localhost', token]));
      expect([200, 404, 422]).toContain(longest.status);
      for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE'])
        expect(
          (await problem(rawRequest(target(MAX_TARGET + 1, start), ['host: a'], method))).status,
          method,
        ).toBe(414);
    },
  );
});

/** What no request is for, as a target, and as the headers that name a host. */
const NO_TARGETS = ['*', 'http://', 'ftp://a.example/', 'a', '/a\\b'];
const NO_HOSTS = [
  ...['', 'a b', 'a/b', 'a@b', 'a:b', 'a.example:', 'a:99999', '[::1', '0x7f.1', '1.2.3.256', 'a?b', 'é'],
  '/'.repeat(9000),
].map((host) => [`host: ${host}`]);
const NOT_ONE_HOST = [[], ['host: localhost', 'host: localhost'], ['host: localhost', 'Host: a.example']];
it.each([
  ...NO_TARGETS.map((target) => [target, ['host: localhost']] as const),
  ...[...NO_HOSTS, ...NOT_ONE_HOST].map((headers) => ['/health', headers] as const),
])('a request is refused that is for %s with %j', async (target, headers) => {
  expect((await problem(rawRequest(target, headers))).status).toBe(400);
});

it.each([
  ...['localhost', 'LOCALHOST:1', 'a_b.example:65535', '127.0.0.1', '[::1]:80'].map((host) => [
    '/health',
    host,
  ]),
  ['http://localhost/health', 'localhost'],
])('a request may be for %s at %s', async (target, host) => {
  expect((await sendRaw(port, rawRequest(target ?? '', [`host: ${host}`]))).status).toBe(200);
});

describe('what is refused before it is routed', () => {
  it.each([
    ['GET\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nhost: a\r\nno header\r\n\r\n', 400],
    [rawRequest('/', ['host: a', `x: ${'x'.repeat(20_000)}`]), 431],
    [rawRequest(target(MAX_TARGET + 1)), 414],
    [rawRequest('/', []), 400],
    [rawRequest('/', ['host: foreign.example']), 421],
  ])('is answered with a problem document, and counted: %.40j', async (sent, status) => {
    const before = await refusals(status);
    expect((await problem(sent, open)).status).toBe(status);
    expect(await refusals(status)).toBe(before + 1);
  });
});

it.each([
  'GET //component//?%%% HTTP/1.1\r\nHost: localhost',
  'GET /component HTTP/1.1\r\nHost: localhost\r\nAccept: \x80\xff;q=,,"\r\nIf-None-Match: "\xfe',
  'GET /../../etc/passwd HTTP/1.1\r\nHost: localhost',
  'DELETE /c/%00 HTTP/1.1\r\nHost: localhost',
  'POST /component HTTP/1.1\r\nHost: localhost\r\nContent-Type: ;;;\r\nContent-Length: 0',
  'PROPFIND /component HTTP/1.1\r\nHost: localhost',
])('%j is no reason for a 5xx', async (head) => {
  const { status } = await sendRaw(port, Buffer.from(`${head}\r\nConnection: close\r\n\r\n`, 'latin1'));
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
});

/** How many requests without a route the node has answered with that status. */
async function refusals(status: number): Promise<number> {
  const metrics = await (await fetch(`http://localhost:${open}/metrics`)).text();
  const line = `route="none",method="other",status="${status}"}`;
  const counts = new RegExp(`duration_seconds_count{${line} (\\d+)$`, 'm').exec(metrics);
  return Number(counts?.[1] ?? 0);
}
