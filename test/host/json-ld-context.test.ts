import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadContextFromWeb } from '../../src/host/json-ld-context.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';

let server: FakeServer;
beforeAll(async () => {
  server = await fakeServer();
});
afterAll(() => server.close());

const JSON_LD = { 'content-type': 'application/ld+json' };
const HTML = { 'content-type': 'text/html' };

test('a context is loaded without credentials and without a referrer', async () => {
  server.on('/context', { headers: JSON_LD, body: '{"@context":{}}' });
  expect(await loadContextFromWeb(server.url('/context'))).toBe('{"@context":{}}');
  const { headers } = server.requests[0] ?? {};
  expect(headers?.accept).toContain('application/ld+json');
  expect([headers?.cookie, headers?.authorization, headers?.referer]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a page that links to its context is followed, once', async () => {
  const link = '</docs/context.jsonld>; rel="alternate"; type="application/ld+json"';
  server.on('/', { headers: { ...HTML, link }, body: '<!doctype html>' });
  server.on('/docs/context.jsonld', { headers: JSON_LD, body: '{"@context":{"a":"urn:a"}}' });
  expect(await loadContextFromWeb(server.url('/'))).toContain('urn:a');
  server.on('/docs/context.jsonld', { headers: { ...HTML, link } });
  await expect(loadContextFromWeb(server.url('/'))).rejects.toThrow(/is text\/html, and no JSON-LD/);
});

test.each([
  ['is not there', { status: 404 }, /answered with 404/],
  ['is no JSON', { headers: HTML, body: 'x' }, /is text\/html, and no JSON-LD/],
  ['has no end', { headers: JSON_LD, body: ' '.repeat(100_000), endless: true }, /larger than 1000000 bytes/],
])('one that %s is an error', async (_what, answer, message) => {
  server.on('/bad', answer);
  await expect(loadContextFromWeb(server.url('/bad'))).rejects.toThrow(message);
});
