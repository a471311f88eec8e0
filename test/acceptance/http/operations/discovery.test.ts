import { beforeEach, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({ operatorToken: TOKEN });
});
const decide = (body: unknown, token = TOKEN) =>
  app.app.request('/discovery', postJson(body, { authorization: `Bearer ${token}` }));

it('the operator approves, rejects and forgets', async () => {
  const url = 'https://pod.example/';
  for (const decision of ['approve', 'reject', 'forget']) {
    expect((await decide({ url, decision })).status).toBe(204);
  }
  expect(app.node.decisions).toEqual([
    [url, 'approve'],
    [url, 'reject'],
    [url, undefined],
  ]);
});

it.each([
  { url: 'https://pod.example/', decision: 'maybe' },
  { url: 'javascript:alert(1)', decision: 'approve' },
  { url: 'https://pod.example/' },
  { url: 'https://pod.example/', decision: 'approve', more: 1 },
  [],
])('what is no decision is refused: %j', async (body) => {
  expect((await decide(body)).status).toBe(422);
  expect(app.node.decisions).toEqual([]);
});

it('nobody else decides', async () => {
  const body = { url: 'https://pod.example/', decision: 'approve' };
  expect((await app.app.request('/discovery', postJson(body))).status).toBe(401);
  expect((await decide(body, 'other')).status).toBe(403);
  expect(app.node.decisions).toEqual([]);
});

it('what is refused is in the status and in the metrics', async () => {
  app.node.refusals = {
    counts: { 'private-address': 2, own: 1 },
    unintendedBy: {},
    examples: [
      { url: 'http://10.0.0.1/', kind: 'peer', reason: 'private-address', via: 'https://peer.example' },
      {
        url: 'https://x.example/',
        kind: 'pod',
        reason: 'denied',
        via: 'https://peer.example',
      },
    ],
  };
  const status = (await (
    await app.app.request('/status', { headers: { authorization: `Bearer ${TOKEN}` } })
  ).json()) as { refused: unknown };
  const { counts, examples } = app.node.refusals;
  expect(status.refused).toEqual({ counts, examples });
  const metrics = await (await app.app.request('/metrics')).text();
  expect(metrics).toContain('registry_refused_addresses{reason="private-address"} 2');
});
