import { beforeAll, expect, it } from 'vitest';
import { sampleComponent } from '../../../scripts/bench/sample-data.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { startInProcess } from '../../acceptance/adapters/in-process-node.js';
import { cleanup } from '../../support/cleanup.js';
import { postJson } from '../../support/node/post-json.js';
import { type TcpProxy, tcpProxy } from '../../support/proxy/tcp-proxy.js';

/** Of the node that asks: its name is part of every request. */
const baseUrl = 'https://registry.example.org';
let url: string;
let proxy: TcpProxy;
/** The address of the node behind the proxy. */
let through: string;
const fetchAsNode = createGuardedFetch({
  userAgent: `component-registry-node/0.1.0 (+${baseUrl})`,
  ...{ allowPrivate: true, maxBytes: 10_000_000, timeoutMs: 30_000 },
});

beforeAll(async () => {
  ({ url } = await startInProcess({ config: { write: 'open' } }));
  ({ proxy, url: through } = await tcpProxy(url));
  cleanup(() => fetchAsNode.close());
});

/** Bytes of a request and its answer, as they go over the wire. */
async function bytesOf(ask: () => Promise<{ status: number; text(): Promise<string> }>) {
  const before = proxy.sent + proxy.received;
  const answer = await ask();
  await answer.text();
  return { status: answer.status, bytes: proxy.sent + proxy.received - before };
}
const asNode = (path: string, cursor: string) =>
  bytesOf(() => {
    const headers = { accept: 'application/json', 'if-none-match': `"${cursor}"` };
    return fetchAsNode(new URL(path, through).href, { headers, trust: 'configured' });
  });
const uncompressed = (path: string) =>
  bytesOf(() => fetch(new URL(path, through), { headers: { 'accept-encoding': 'identity' } }));
const cursor = async () => (await fetch(`${url}/feed`)).headers.get('feed-cursor') ?? '';
const post = (count: number, author: string) =>
  fetch(
    `${url}/component`,
    postJson(Array.from({ length: count }, (_, i) => ({ ...sampleComponent(i), author }))),
  );

it('asking in vain costs at most 500 bytes both ways, also when positions have six digits', async () => {
  await post(100, 'Ann');
  const at = await cursor();
  const { status, bytes } = await asNode(`/feed?since=${at}`, at);
  expect(status).toBe(304);
  const [, position = ''] = at.split('.');
  // The position is in the URL, in If-None-Match and in ETag.
  expect(bytes + 3 * (6 - position.length)).toBeLessThanOrEqual(500);
});

it('one change costs at most 2,500 bytes, each of 100 at most 1,100, and compressed 300', async () => {
  const before = await cursor();
  await post(1, 'Bob');
  expect((await asNode(`/feed?since=${before}`, before)).bytes).toBeLessThanOrEqual(2500);
  const since = await cursor();
  await post(100, 'Cid');
  expect((await uncompressed(`/feed?since=${since}`)).bytes / 100).toBeLessThanOrEqual(1100);
  expect((await asNode(`/feed?since=${since}`, since)).bytes / 100).toBeLessThanOrEqual(300);
});
