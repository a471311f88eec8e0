import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestApp } from '../../acceptance/adapters/registry-app.js';
import { metadata } from '../../support/arbitrary.js';
import { postJson } from '../../support/node/post-json.js';

it('POST /component takes back whatever the node may hold', async () => {
  const { app, registry } = await createTestApp();
  await fc.assert(
    fc.asyncProperty(metadata, async (held) => {
      expect((await app.request('/component', postJson(held))).status).toBeLessThan(300);
      expect(await registry.get(held.uri)).toEqual(held);
      expect((await app.request(`/c/${encodeURIComponent(held.uri)}`)).status).toBe(200);
    }),
    { numRuns: 50 },
  );
});
