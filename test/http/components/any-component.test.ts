import fc from 'fast-check';
import { expect, it } from 'vitest';
import { meantUris } from '../../../src/http/components/component-uri.js';
import { createTestApp } from '../../acceptance/adapters/registry-app.js';
import { metadata, moduleUrl } from '../../support/arbitrary.js';
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

it('what an address means always has the uri, raw or encoded', () => {
  const at = (path: string) => meantUris(`https://node.example/c/${path}`);
  fc.assert(
    fc.property(moduleUrl, (uri) => {
      expect(at(encodeURIComponent(uri))).toContain(uri);
      expect(at(uri)[0]).toBe(uri.replace(/^(https?):\/+/i, '$1://'));
    }),
  );
});
