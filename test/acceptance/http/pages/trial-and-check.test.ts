import { beforeEach, describe, expect, test } from 'vitest';
import { browse, HOSTILE, HTML } from '../../../support/explorer-pages.js';
import { LOCAL } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = async (path: string) => (await get(path)).text();
const form = (url: string, headers: Record<string, string> = HTML) =>
  app.app.request('/publish', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ url }).toString(),
  });

describe('a component with data', () => {
  const uri = 'https://c.example/a.js';
  const page = `/c/${encodeURIComponent(uri)}`;
  const frame = (entry: string, of = uri) => `/frame?${new URLSearchParams({ uri: of, entry })}`;
  beforeEach(() => app.registry.upsertLocal([component(uri)]));

  test('puts the component into a frame without an origin, which reaches two servers and no more', async () => {
    expect(await text(`${page}?entry=https://pod.example/x`)).toMatch(
      /<iframe [^>]*sandbox="allow-scripts allow-forms"/,
    );
    const policy =
      (await get(frame('https://pod.example:8443/x'))).headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' blob: https:\/\/c\.example;/,
    );
    expect(policy).toContain('; connect-src https://c.example https://pod.example:8443;');
    expect(policy).not.toMatch(/allow-same-origin|allow-top-navigation|allow-popups/);
  });

  test.each([`http://*/`, `http://a;script-src/`, `http://a'unsafe-inline'/`])(
    'lets no host name write its policy: %s',
    async (entry) => {
      const policy = (await get(frame(entry))).headers.get('content-security-policy') ?? '';
      expect(policy).toContain('connect-src https://c.example https://refused.invalid;');
      expect(policy).not.toContain('*');
    },
  );

  test('reaches the shapes and the modules that its capabilities name, and is told of them', async () => {
    const invocation = [
      {
        type: 'FragmentInvocation' as const,
        fragment: '<x-y>',
        module: [{ uri: 'https://m.example/b.js' }],
      },
    ];
    const capability = [{ shape: ['https://s.example/p.ttl#P', 'urn:shape'], invocation }];
    await app.registry.upsertLocal([component(uri, { capability })]);
    const answer = await get(frame('https://pod.example/x'));
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self' blob: https://c.example https://m.example;");
    expect(policy).toContain(
      'connect-src https://c.example https://m.example https://pod.example https://s.example;',
    );
    expect(await answer.text()).toContain('&quot;FragmentInvocation&quot;');
    const html = await text(page);
    expect(html).toContain('capability: [{&quot;shape&quot;');
    expect(html).toContain('\\u003cx-y>'.replace('>', '&gt;'));
  });

  test('says what the bytes of the module must be, and that they have changed', async () => {
    const integrity = `sha384-${'A'.repeat(64)}`;
    await app.registry.upsertLocal([component(uri, { integrity })]);
    expect(await text(frame('https://pod.example/x'))).toContain(
      `data-promised="[&quot;${integrity}&quot;]"`,
    );
    expect(await text(page)).not.toContain('have changed');
    const document = LOCAL.url;
    const last = `sha384-${'B'.repeat(64)}`;
    await app.registry.setPins([{ uri, source: LOCAL, document, last, since: 0, checked: 0 }]);
    expect(await text(page)).toContain('The bytes of this module have changed');
  });

  test('links to applications, which are not run', async () => {
    const invocation = [
      {
        type: 'ac:UriTemplateInvocation' as const,
        template: '#{x}',
        mapping: [{ variable: 'x', property: 'ac:open' }],
      },
    ];
    const application = 'https://app.example/#i';
    await app.registry.upsertLocal([component(application, { capability: [{ invocation }] })]);
    const html = await text(`/c/${encodeURIComponent(application)}?entry=https://pod.example/x`);
    expect(html).toContain('href="https://app.example/#https%3A%2F%2Fpod.example%2Fx"');
    expect(html).not.toContain('<iframe');
  });

  test('opens in a frame alone, as far as the browser says where it goes', async () => {
    const opened = async (to: Record<string, string>) => {
      const { status, headers } = await get(frame('https://pod.example/x'), to);
      return [status, headers.get('vary')];
    };
    for (const dest of ['document', 'empty', 'frame', 'object', 'embed'])
      expect(await opened({ 'sec-fetch-dest': dest }), dest).toEqual([403, 'Sec-Fetch-Dest']);
    for (const to of [{ 'sec-fetch-dest': 'iframe' }, {}])
      expect(await opened(to as Record<string, string>)).toEqual([200, 'Sec-Fetch-Dest']);
  });

  test('promises what it keeps', async () => {
    const html = await text(`${page}?entry=https://pod.example/x`);
    expect(html).toContain('it may read and not write; what it sends to those servers by itself');
  });

  test('knows only components that are known here, and data on the web', async () => {
    expect((await get(frame('https://pod.example/x', 'https://evil.example/x.js'))).status).toBe(404);
    expect((await get(`${page}?entry=javascript:alert(1)`)).status).toBe(422);
    expect((await get(frame('javascript:alert(1)'))).status).toBe(422);
    expect((await get(frame(''))).status).toBe(404);
  });
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
    expect(page).not.toContain('<img');
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
    expect(page).not.toContain('<img');
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

  test('gives its place back when a check fails', async () => {
    app = await createTestApp({}, { lint: () => Promise.reject(new Error('broken')) });
    for (let i = 0; i < 3; i++) expect((await form('https://pod.example/x')).status).toBe(500);
  });
});
