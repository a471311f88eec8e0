import { beforeAll, expect, test } from 'vitest';
import { type NodeProcess, startNode } from '../support/node/node-process.js';

/**
 * Every address of version 0.2.0 that is no more, as it was used there (docs/architecture.md has those that there are).
 * Links to them lead to the page of the status 404, and programs are told the same as a problem document.
 */
const GONE: readonly (readonly [method: string, address: string])[] = [
  ['GET', '/image?uri=URI'],
  ['GET', '/invites'],
  ['GET', '/atom?q=card'],
  ['GET', '/badge?uri=URI'],
  ['GET', '/compare?uri=URI&uri=URI'],
  ['GET', '/listed?uri=URI'],
  ['GET', '/explorer-listed.js'],
  ['GET', '/shapes'],
  ['GET', '/tags?find=card'],
  ['GET', '/authors'],
  ['GET', '/document?url=URI'],
  ['GET', '/try?uri=URI&entry=URI'],
  ['GET', '/try/frame?uri=URI&entry=URI'],
  ['GET', '/embed?uri=URI&entry=URI'],
  ['GET', '/demo'],
  ['GET', '/demo/data/ann.ttl'],
  ['GET', '/explorer-demo.js'],
  ['GET', '/starter'],
  ['GET', '/lint'],
  ['POST', '/lint'],
  ['GET', '/explorer-lint.js'],
  ['GET', '/operate'],
  ['GET', '/explorer-operate.js'],
  ['GET', '/feed/source?url=urn:registry:local'],
];

const URI = 'https://components.example/card.js';
let node: NodeProcess;

beforeAll(async () => {
  node = await startNode({ config: { write: 'open' }, args: ['--demo'] });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ uri: URI, label: 'Card', tag: ['card'] });
  const posted = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
  expect(posted.status).toBe(201);
});

test.each(GONE)('%s %s answers 404, to browsers and to programs', async (method, address) => {
  const url = node.url + address.replaceAll('URI', encodeURIComponent(URI));
  for (const [accept, type] of [
    ['text/html', 'text/html; charset=utf-8'],
    ['application/json', 'application/problem+json'],
  ] as const) {
    const answer = await fetch(url, { method, headers: { accept }, redirect: 'manual' });
    expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([accept, 404, type]);
  }
});

test.each([
  ['/feed', 'kinds=pod&hops=0'],
  ['/feed/sources', 'kinds=pod&hops=0'],
  ['/peers', 'hops=0'],
  ['/storage', 'hops=all'],
])('%s ignores the parameters of version 0.2.0 that are no more: %s', async (path, parameters) => {
  const [whole, asked] = await Promise.all(
    [path, `${path}?${parameters}`].map(async (one) => {
      const answer = await fetch(node.url + one, { headers: { accept: 'application/json' } });
      return [answer.status, answer.headers.get('etag'), await answer.text()];
    }),
  );
  expect(asked).toEqual(whole);
  expect(whole?.[0]).toBe(200);
});
