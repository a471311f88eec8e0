import { beforeEach, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { NO_CHANGE } from '../../../support/promised.js';
import { createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

let app: TestApp;
const AUTH = { authorization: `Bearer ${TOKEN}` };
const URI = 'https://c.example/a.js';
beforeEach(async () => {
  app = await createTestApp({ write: 'open', operatorToken: TOKEN });
});
it('what was written, and by whom, is logged', async () => {
  const from = { incoming: { socket: { remoteAddress: '192.0.2.1' } } };
  await app.app.request('/component', postJson([{ uri: URI, label: 'A' }]), from);
  await app.app.request('/component', postJson([{ uri: URI, label: 'B' }], AUTH), from);
  await app.app.request(`/c/${encodeURIComponent(URI)}`, { method: 'DELETE', headers: AUTH });
  await app.app.request('/discovery', postJson({ url: 'https://p.example/', decision: 'approve' }, AUTH));
  expect(app.audited).toEqual([
    ['operator', 'approved an address', 'https://p.example/'],
    ['operator', 'removed a component', URI],
    ['operator', 'posted 1 component', URI],
    ['anybody at 192.0.2.1', 'posted 1 component', URI],
  ]);
});

it('so are shrinks that were accepted, with what came of them', async () => {
  const source = { kind: 'pod', url: 'https://pod.example/' } as const;
  const counts = { ...NO_CHANGE, removed: 30, durationMs: 1 };
  app.node.sync = async () => [{ source, ok: true, ...counts }];
  const sync = (query: string) => app.app.request(`/sync${query}`, { method: 'POST', headers: AUTH });
  await sync('');
  await sync(`?source=${source.url}`);
  expect(app.audited).toEqual([]);
  await sync(`?source=${source.url}&accept=shrink`);
  app.node.sync = async () => [{ source, ok: false, error: 'no answer', ...counts, removed: 0 }];
  await sync(`?source=${source.url}&accept=shrink`);
  expect(app.audited).toEqual([
    ['operator', 'accepted that a source says less: 0 components removed; it could not be read', source.url],
    ['operator', 'accepted that a source says less: 30 components removed', source.url],
  ]);
});
