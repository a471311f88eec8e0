import { beforeEach, expect, it } from 'vitest';
import { createTestApp, postJson, type TestApp, TOKEN } from '../../support/registry-app.js';

let app: TestApp;
const AUTH = { authorization: `Bearer ${TOKEN}` };
const URI = 'https://c.example/a.js';
beforeEach(async () => {
  app = await createTestApp({ write: 'open', operatorToken: TOKEN });
});
const trail = async (headers: Record<string, string> = AUTH) => {
  const status = (await (await app.app.request('/status', { headers })).json()) as {
    audit?: { who: string; what: string; subjects: string[] }[];
  };
  return status.audit?.map(({ who, what, subjects }) => [who, what, ...subjects]);
};

it('what was written, and by whom, is told to the operator alone', async () => {
  const from = { incoming: { socket: { remoteAddress: '192.0.2.1' } } };
  await app.app.request('/component', postJson([{ uri: URI, label: 'A' }]), from);
  await app.app.request('/component', postJson([{ uri: URI, label: 'B' }], AUTH), from);
  await app.app.request(`/c/${encodeURIComponent(URI)}`, { method: 'DELETE', headers: AUTH });
  await app.app.request('/discovery', postJson({ url: 'https://p.example/', decision: 'approve' }, AUTH));
  expect(await trail()).toEqual([
    ['operator', 'approved an address', 'https://p.example/'],
    ['operator', 'removed a component', URI],
    ['operator', 'posted 1 component', URI],
    ['anybody at 192.0.2.1', 'posted 1 component', URI],
  ]);
  expect(await trail({})).toBeUndefined();
  expect(await trail({ authorization: 'Bearer wrong' })).toBeUndefined();
});

it('what was refused is not in it', async () => {
  await app.app.request('/component', postJson([{ label: 'no uri' }]));
  await app.app.request('/discovery', postJson({ url: 'https://p.example/', decision: 'approve' }));
  await app.app.request(`/c/${encodeURIComponent(URI)}`, { method: 'DELETE' });
  expect(await trail()).toEqual([]);
});
