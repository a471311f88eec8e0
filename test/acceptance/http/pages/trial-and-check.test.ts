import { beforeEach, describe, expect, test } from 'vitest';
import { HOSTILE, HTML } from '../../../support/explorer-pages.js';
import { BASE, createTestApp, type TestApp } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const form = (url: string, headers: Record<string, string> = HTML) =>
  app.app.request('/publish', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ url }).toString(),
  });

describe('a check on /publish', () => {
  test('shows the report of the check, escaped, or gives it as JSON', async () => {
    const report = {
      document: HOSTILE,
      findings: [{ level: 'error', what: HOSTILE, fix: HOSTILE }],
      components: [],
    } as const;
    app = await createTestApp({}, { lint: async () => report });
    const page = await (await form('https://pod.example/x.ttl')).text();
    expect(page).toContain('1 thing to correct');
    expect(page).not.toContain('<img src=x');
    expect(await (await form('https://pod.example/x.ttl', { accept: 'application/json' })).json()).toEqual({
      ...report,
      why: `${BASE}/why?${new URLSearchParams({ uri: HOSTILE })}`,
    });
  });

  test('leads from the document and from each component to why it is served, or is not', async () => {
    const [document, uri] = ['https://pod.example/x.ttl', 'https://c.example/a&b.js'];
    app = await createTestApp(
      {},
      { lint: async () => ({ document, findings: [], components: [{ uri, findings: [] }] }) },
    );
    const page = await (await form(document)).text();
    for (const about of [document, uri])
      expect(page).toContain(`href="/why?uri=${encodeURIComponent(about)}"`);
    const json = await (await form(document, { accept: 'application/json' })).json();
    expect(json).toMatchObject({ components: [{ uri, why: `${BASE}/why?${new URLSearchParams({ uri })}` }] });
  });

  test.each(['', 'file:///etc/passwd', '/x', 'javascript:alert(1)'])(
    'takes web addresses only, not %j',
    async (url) => {
      expect((await form(url)).status).toBe(422);
    },
  );

  test('takes a text, which stays in the form, and the address where it will be', async () => {
    const asked: unknown[] = [];
    app = await createTestApp(
      {},
      {
        lint: async (what) => {
          asked.push(what);
          return { document: 'https://pasted.invalid/document', findings: [], components: [] };
        },
      },
    );
    const paste = (fields: Record<string, string>) =>
      app.app.request('/publish', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...HTML },
        body: new URLSearchParams(fields).toString(),
      });
    const page = await (await paste({ text: HOSTILE, url: '' })).text();
    expect(page).not.toContain('<img src=x');
    expect(page).toMatch(/<details open=""><summary>Or paste it.*<textarea[^>]*>&quot;&gt;&lt;script/s);
    expect(page).toContain('What was pasted');
    await paste({ text: '<a> <b> <c>.', url: 'https://pod.example/x.ttl' });
    expect(asked).toEqual([{ text: HOSTILE }, { text: '<a> <b> <c>.', url: 'https://pod.example/x.ttl' }]);
    expect((await paste({ text: 'x', url: 'file:///x' })).status).toBe(422);
    expect((await paste({ text: ' ' })).status).toBe(422);
    expect((await paste({ text: 'x'.repeat(300_001) })).status).toBe(413);
  });

  test('is bounded, and says when to come back', async () => {
    for (let i = 0; i < 12; i++) expect((await form('https://pod.example/x')).status).toBe(200);
    const refused = await form('https://pod.example/x');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.text()).toContain('try again in 60 s');
    app.node.now += 60_000;
    expect((await form('https://pod.example/x')).status).toBe(200);
  });
});
