import { beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../../../src/publish/finding.js';
import { browse, HOSTILE, HTML, pageText } from '../../../support/explorer-pages.js';
import { postJson } from '../../../support/node/post-json.js';
import { BASE, component, createTestApp, type TestApp, VOC } from '../../adapters/registry-app.js';

const MODULE = 'https://c.example/card/1.0.0.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const ask = (body: unknown) =>
  app.app.request('/publish/draft', postJson(body, { accept: 'application/json' }));
interface Draft {
  readonly turtle?: string;
  readonly findings: readonly Finding[];
}
const draft = async (body: unknown) => (await (await ask(body)).json()) as Draft;
const card = { uri: MODULE, label: 'Card', shapes: ['http://xmlns.com/foaf/0.1/Person'] };

describe('/publish', () => {
  test('may reach pods anywhere by https, as no other page may, and runs the own scripts alone', async () => {
    const policy = (await browse(app, '/publish')).headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https:;");
    expect(policy).toContain("script-src 'self';");
    const others = await Promise.all(['/', '/data', '/network'].map((path) => browse(app, path)));
    for (const other of others)
      expect(other.headers.get('content-security-policy')).toContain("connect-src 'self';");
  });

  test('has a client identifier document, by which providers know where to send people back', async () => {
    const answer = await browse(app, '/publish/client', {});
    expect(answer.headers.get('content-type')).toBe('application/ld+json');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({
      '@context': ['https://www.w3.org/ns/solid/oidc-context.jsonld'],
      client_id: `${BASE}/publish/client`,
      redirect_uris: [`${BASE}/publish`],
      token_endpoint_auth_method: 'none',
    });
  });
});

test('the page of a component leads its author here, where it is named', async () => {
  await app.registry.upsertLocal([component(MODULE, { label: 'Profile card' })]);
  const page = await pageText(app, `/c/${encodeURIComponent(MODULE)}`);
  const [, way = ''] = /href="(\/publish\?[^"]*)"/.exec(page) ?? [];
  expect(await pageText(app, way)).toMatch(/id="edited">.*Profile card/s);
});

describe('a draft', () => {
  test('has what keeps the rules, and calls each value that breaks one as the form does', async () => {
    const invocation = [{ type: 'ElementInvocation', element: 'card', mapping: [] }];
    const put = {
      ...card,
      uri: 'card.js',
      label: '',
      shapes: ['urn:x:Fine', 'a b'],
      capability: [{ invocation }],
    };
    const { turtle, findings } = await draft({ put });
    const wrong = findings.filter(({ level }) => level === 'error').map(({ what }) => what);
    expect(wrong.toSorted()).toEqual([
      'Name must not be empty',
      expect.stringMatching(/^Name of the element must .*, and is card$/),
      expect.stringMatching(/^URL of its module must be an absolute.*card\.js$/),
      expect.stringMatching(/^What data it renders must .*, and is a b$/),
    ]);
    // The rest is shown and advised on all the same.
    expect(turtle).toMatch(/semcom:label "[^"]+".*<urn:x:Fine>/s);
    expect(turtle).not.toMatch(/card\.js|a b/);
    expect(findings).toContainEqual(expect.objectContaining({ what: 'it has no description' }));
    expect(findings).not.toContainEqual(expect.objectContaining({ level: 'ok' }));
  });

  test('of other bytes under the version that the document has is an error', async () => {
    const [old, integrity] = ['a', 'b'].map((letter) => `sha384-${letter.repeat(64)}`);
    const before = `<${MODULE}> <${VOC}label> "Card"; <${VOC}version> "1.0.0"; <${VOC}integrity> "${old}".`;
    const { findings } = await draft({ before, put: { ...card, version: '1.0.0', integrity } });
    const fix = expect.stringContaining('raise the version');
    expect(findings).toContainEqual(expect.objectContaining({ level: 'error', fix }));
  });

  test.each([
    ['no question', { nonsense: true }, 422],
    ['several descriptions', { put: [card, card] }, 422],
    ['a document that is no Turtle', { before: '<a', put: card }, 400],
    ['a document that is too large', { before: 'x'.repeat(1_000_001) }, 422],
    ['a body that is too large', { before: 'x'.repeat(1_200_000) }, 413],
  ])('of %s is refused', async (_, body, status) => {
    expect((await ask(body)).status).toBe(status);
  });
});

describe('the nodes that are asked who lists it', () => {
  const rows = async () => {
    const html = await pageText(app, '/publish');
    return [...html.matchAll(/data-node="([^"]*)"/g)].map(([, node]) => node);
  };

  test('are this one and those that it reads, the nearest first', async () => {
    const peers = [3, 1, 2].map((hops) => ({ url: `https://n${hops}.example/`, hops, via: [] }));
    await app.registry.setNetwork({ peers, storage: [] });
    expect(await rows()).toEqual([BASE, 'https://n1.example', 'https://n2.example', 'https://n3.example']);
  });
});

const paste = (fields: Record<string, string>, headers: Record<string, string> = HTML) =>
  app.app.request('/publish', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
const form = (url: string, headers?: Record<string, string>) => paste({ url }, headers);

describe('a check on /publish', () => {
  test('shows the report of the check, escaped, or gives it as JSON, and leads to why things are served, or not', async () => {
    const [document, uri] = ['https://pod.example/x.ttl', 'https://c.example/a&b.js'];
    const findings = [{ level: 'error', what: HOSTILE, fix: HOSTILE }] as const;
    const report = { document, findings, components: [{ uri, findings: [] }] };
    app = await createTestApp({}, { lint: async () => report });
    const page = await (await form(document)).text();
    expect(page).toContain('1 thing to correct');
    expect(page).not.toContain('<img src=x');
    const why = (about: string) => `/why?${new URLSearchParams({ uri: about })}`;
    for (const about of [document, uri]) expect(page).toContain(`href="${why(about)}"`);
    expect(await (await form(document, { accept: 'application/json' })).json()).toEqual({
      ...{ ...report, why: BASE + why(document) },
      components: [{ uri, findings: [], why: BASE + why(uri) }],
    });
  });

  test.each(['', 'file:///etc/passwd', '/x', 'javascript:alert(1)'])(
    'takes web addresses only, not %j',
    async (url) => {
      expect((await form(url)).status).toBe(422);
    },
  );

  test('takes a text, which stays in the form, and the address where it will be', async () => {
    const asked: unknown[] = [];
    const lint = async (what: unknown) => {
      asked.push(what);
      return { document: 'https://pasted.invalid/document', findings: [], components: [] };
    };
    app = await createTestApp({}, { lint });
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
