import { beforeEach, expect, it } from 'vitest';
import { postJson } from '../../support/node/post-json.js';
import { createTestApp, type TestApp } from '../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const MINUTE = 60_000;
const TOPIC = 'https://pod.example/doc';

async function hint(topic: unknown, remoteAddress = '192.0.2.1'): Promise<number> {
  const from = { incoming: { socket: { remoteAddress } } };
  const response = await app.app.request('/hint', postJson({ topic }), from);
  return response.status;
}

it('a topic is passed on, once a minute, and the answer is always the same', async () => {
  expect(await hint(TOPIC)).toBe(202);
  expect(await hint('HTTPS://pod.example:443/doc')).toBe(202);
  expect(await hint('https://pod.example/other')).toBe(202);
  expect(app.node.hints).toEqual([TOPIC, 'https://pod.example/other']);
  app.node.now += MINUTE;
  expect(await hint(TOPIC)).toBe(202);
  expect(app.node.hints).toHaveLength(3);
});

it.each(['192.0.2.1', '127.0.0.1', '::ffff:10.0.0.1'])(
  'of one client, like %s, sixty are heard in an hour',
  async (client) => {
    for (let i = 0; i < 100; i++) expect(await hint(`${TOPIC}${i}`, client)).toBe(202);
    expect(app.node.hints).toHaveLength(60);
  },
);

it('of an IPv6 network as many are heard as of one client, and more in the next hour', async () => {
  for (let i = 0; i < 60; i++) await hint(`${TOPIC}${i}`);
  await hint(`${TOPIC}x`, '192.0.2.2');
  expect(app.node.hints).toHaveLength(61);
  for (let i = 0; i < 100; i++) await hint(`${TOPIC}v6${i}`, `2001:db8:1:2::${i.toString(16)}`);
  expect(app.node.hints).toHaveLength(121);
  app.node.now += 60 * MINUTE;
  await hint(`${TOPIC}later`);
  expect(app.node.hints).toHaveLength(122);
});

it.each([
  ...[undefined, 3, '', 'x', 'javascript:alert(1)', 'ftp://pod.example/', 'http://a b/'],
  `http://a/${'x'.repeat(2050)}`,
])('a topic that is none is refused: %s', async (topic) => {
  expect(await hint(topic)).toBe(422);
  expect(app.node.hints).toEqual([]);
});

it('large bodies and other types are refused', async () => {
  const ask = (body: string, type: string) =>
    app.app.request('/hint', { method: 'POST', headers: { 'content-type': type }, body });
  expect((await ask(JSON.stringify({ topic: 'x'.repeat(5000) }), 'application/json')).status).toBe(413);
  expect((await ask(`topic=${TOPIC}`, 'text/plain')).status).toBe(415);
  expect((await ask('topic=x', 'application/x-www-form-urlencoded')).status).toBe(422);
  expect(app.node.hints).toEqual([]);
});
