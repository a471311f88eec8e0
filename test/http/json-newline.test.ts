import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startInProcess } from '../acceptance/adapters/in-process-node.js';
import { ALICE, connect, invite, startService, type TestService } from '../support/connection-app.js';
import { rawRequest, sendRaw } from '../support/raw-request.js';
import { component, createTestApp, postJson, type TestApp } from '../support/registry-app.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const URI = 'https://c.example/0.js';
const JSON_TYPES = ['application/json', 'application/ld+json'];

/** Expects a body of JSON with one newline at its end, and its length as announced. */
function expectOneNewline(text: string, { headers }: { headers: Headers }): void {
  expect(headers.get('content-type')).toMatch(/^application\/(problem\+|ld\+)?json/);
  expect(() => JSON.parse(text)).not.toThrow();
  expect(text).toMatch(/[}\]]\n$/);
  const announced = headers.get('content-length');
  if (announced !== null) expect(Number(announced)).toBe(Buffer.byteLength(text));
}

describe('JSON of the registry ends with a newline', () => {
  let app: TestApp['app'];
  let empty: TestApp['app'];
  beforeAll(async () => {
    ({ app: empty } = await createTestApp());
    const filled = await createTestApp();
    app = filled.app;
    const uris = Array.from({ length: 2000 }, (_, i) => `https://c.example/${i}.js`);
    await filled.say(
      POD,
      uris.map((uri) => component(uri, { description: 'x '.repeat(50) })),
    );
  });
  const ask = async (router: TestApp['app'], path: string, init: RequestInit = {}) => {
    const response = await router.request(path, init);
    expectOneNewline(await response.text(), response);
    return response.status;
  };

  test.each(JSON_TYPES)('every GET of its description as %s, with components and without', async (accept) => {
    const { paths } = (await (await app.request('/openapi.json')).json()) as {
      paths: Record<string, object>;
    };
    const asked = Object.entries(paths).filter(
      ([path, operations]) => 'get' in operations && !/metrics|lint|host|range/.test(path),
    );
    expect(asked.length).toBeGreaterThan(6);
    for (const router of [app, empty]) {
      for (const [path] of asked) {
        const where = path.replace('{uri}', encodeURIComponent(URI));
        const init = { headers: { accept: `${accept}, application/json;q=0.5` } };
        // Without its parameters, `/why` says what is missing.
        expect([200, 400, 404, 422], where).toContain(await ask(router, where, init));
      }
    }
  });

  test.each([
    '/component?limit=2',
    '/component?limit=1900',
    '/component?tag=none',
    '/c/none',
    '/nothing',
    '/component?limit=x',
  ])('%s', async (path) => {
    for (const accept of JSON_TYPES) await ask(app, path, { headers: { accept } });
  });

  test('what is queried, posted, checked and refused', async () => {
    expect(await ask(app, '/component/query', postJson({ uri: URI }))).toBe(200);
    expect(await ask(app, '/component/query', postJson({}))).toBe(200);
    expect(await ask(app, '/component/query', postJson({ colour: 'red' }))).toBe(422);
    expect(await ask(empty, '/component', postJson([component('https://c.example/new.js')]))).toBe(201);
    expect(await ask(app, '/status', { method: 'DELETE' })).toBe(405);
    const form = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'url=https%3A%2F%2Fa.example%2F';
    expect(await ask(app, '/publish', { method: 'POST', headers: form, body })).toBe(200);
  });

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('the listing compressed as %s', async (coding, decompress) => {
    const response = await vi.waitFor(async () => {
      const answer = await app.request('/component', { headers: { 'accept-encoding': coding } });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      return answer;
    });
    const text = decompress(Buffer.from(await response.arrayBuffer())).toString();
    expect(text).toMatch(/\]\n$/);
    expect(JSON.parse(text)).toHaveLength(2000);
  });

  test('a request that reaches no router', async () => {
    const { port } = await startInProcess();
    for (const [target, status] of [
      [`/${'x'.repeat(13_000)}`, 414],
      ['/ HTTP', 400],
    ] as const) {
      const answer = await sendRaw(port, rawRequest(target));
      expect(answer.status).toBe(status);
      expectOneNewline(answer.body, answer);
    }
  });
});

describe('JSON of the connection service ends with a newline', () => {
  let node: TestService;
  beforeAll(async () => {
    node = await startService();
  });

  test('its lists, records and refusals', async () => {
    const answers = [await node.send('/connection/'), await node.send('/invite/urn:x')];
    const [connection, made] = [await connect(node, ALICE), await invite(node, ALICE)];
    for (const path of [
      ...[
        '/connection/',
        '/connection/?limit=1',
        `/connection/${encodeURIComponent(connection)}`,
        '/resource/',
      ],
      ...['/invite/', `/invite/${encodeURIComponent(made)}`, `/invite/${encodeURIComponent(made)}/link`],
      ...[`/holder/${encodeURIComponent(ALICE)}/connections`, '/exchange/urn:x', '/nothing'],
    ])
      answers.push(await node.send(path));
    answers.push(await node.send('/connection/', { token: null }));
    for (const answer of answers) expectOneNewline(answer.text, answer);
  });
});
