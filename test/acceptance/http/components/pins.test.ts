import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import type { StoredPin } from '../../../../src/core/pins.js';
import { postJson } from '../../../support/node/post-json.js';
import { component, createTestApp, type TestApp, TOKEN, VOC } from '../../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const order = { pods: [POD.url], peers: [] };
const URI = 'https://c.example/card.js';
const hash = (letter: string, name = 'sha384', length = 64) => `${name}-${letter.repeat(length)}`;
const SEEN = hash('a');
const NOW = hash('b');

let node: TestApp;
beforeEach(async () => {
  node = await createTestApp({ write: 'open' }, {}, { order });
  await node.say(POD, [component(URI, { version: '1.0.0', tag: ['x'] })]);
});

const pin = (more: Partial<StoredPin> = {}): StoredPin => ({
  ...{ uri: URI, version: '1.0.0', source: POD },
  ...{ first: SEEN, last: SEEN, since: node.node.now, checked: node.node.now },
  ...more,
});
const changed = () => node.registry.setPins([pin({ last: NOW, changedAt: node.node.now })]);
const get = async (path: string, accept = 'application/json') =>
  (await node.app.request(path, { headers: { accept } })).text();
const card = `/c/${encodeURIComponent(URI)}`;

describe('what the node has seen of the bytes', () => {
  test('is in every form, the feed included, and moves the entity tag', async () => {
    const tag = async () => (await node.app.request('/component')).headers.get('etag');
    const before = await tag();
    await node.registry.setPins([pin()]);
    expect(await tag()).not.toBe(before);
    const { cursor } = JSON.parse(await get('/feed'));
    await changed();
    const expected = { integrity: SEEN, changed: NOW };
    expect(JSON.parse(await get('/component'))[0].pin).toEqual(expected);
    expect(JSON.parse(await get(card)).pin).toEqual(expected);
    const found = await node.app.request('/component/query', postJson({ tag: 'x' }));
    expect(await found.json()).toMatchObject([{ pin: expected }]);
    const turtle = await get(card, 'text/turtle');
    expect(turtle).toContain(`pin> "${SEEN}"`.replace('>', ''));
    expect(turtle).toMatch(/pinChanged>? "sha384-b/);
    const [object] = JSON.parse(await get(`/component?uri=${URI}`, 'application/ld+json'));
    expect(object[`${VOC}pin`]).toEqual([{ '@value': SEEN }]);
    expect(object[`${VOC}pinChanged`]).toEqual([{ '@value': NOW }]);
    const followed = `/feed?since=${cursor}`;
    expect(JSON.parse(await get(followed)).changes).toMatchObject([
      { type: 'Update', uri: URI, pin: expected },
    ]);
    expect(await get(followed, 'application/n-quads')).toContain(`<${VOC}pinChanged> "${NOW}"`);
    // Peers read the dataset: what this node has seen is none of what the documents say.
    expect(await get('/component?graphs=all', 'application/n-quads')).not.toContain('sha384');
  });

  test('is never believed of who posts it, in whatever form', async () => {
    const forged = { uri: URI, label: 'Forged', version: '1.0.0', pin: { integrity: NOW } };
    expect((await node.app.request('/component', postJson([forged]))).status).toBe(201);
    const turtle = `<${URI}> a <${VOC}component>; <${VOC}label> "Forged"; <${VOC}version> "1.0.0"; <${VOC}pin> "${NOW}".`;
    const request = { method: 'POST', headers: { 'content-type': 'text/turtle' }, body: turtle };
    expect((await node.app.request('/component', request)).status).toBe(200);
    expect(await node.registry.pins.counts()).toEqual({ all: 0, changed: 0 });
    expect(await get('/component')).not.toContain('"pin"');
    await node.registry.setPins([pin()]);
    expect((await node.app.request('/component', postJson([forged]))).status).toBe(200);
    const statements = await node.registry.catalog.statements(URI);
    expect(statements.map((one) => [one.source.kind, one.pin])).toEqual([
      ['pod', { integrity: SEEN }],
      ['local', { integrity: SEEN }],
    ]);
  });

  test('is in the status and in the metrics', async () => {
    await node.registry.setPins([pin()]);
    expect(await get('/metrics')).toContain('registry_pins{state="same"} 1');
    await changed();
    expect(JSON.parse(await get('/status')).pins).toMatchObject({
      ...{ mode: 'configured', all: 1, changed: 1, failing: [] },
      examples: [
        {
          uri: URI,
          version: '1.0.0',
          integrity: SEEN,
          changed: NOW,
          changedAt: expect.stringMatching(/^20/),
        },
      ],
    });
    expect(await get('/metrics')).toContain('registry_pins{state="changed"} 1');
  });
});

describe('what the operator has forgotten', () => {
  const AUTH = { authorization: `Bearer ${TOKEN}` };
  const forget = (query: string, headers: Record<string, string> = AUTH) =>
    node.app.request(`/pins${query}`, { method: 'DELETE', headers });

  beforeEach(async () => {
    node = await createTestApp({ operatorToken: TOKEN }, {}, { order });
    await node.say(POD, [component(URI, { version: '1.0.0' })]);
    await changed();
  });

  test('is gone from every form, and written down', async () => {
    expect((await forget(`?uri=${URI}`)).status).toBe(204);
    expect(await get('/component')).not.toContain('"pin"');
    expect(await node.registry.pins.counts()).toEqual({ all: 0, changed: 0 });
    expect(node.audited).toEqual([['operator', 'forgot 1 pin', URI]]);
  });

  test.each<[string, Record<string, string>, number]>([
    [`?uri=${URI}`, {}, 401],
    [`?uri=${URI}`, { authorization: 'Bearer another' }, 403],
    ['', AUTH, 400],
    [`?uri=${URI}&uri=${URI}`, AUTH, 400],
    [`?uri=${URI}&version=`, AUTH, 404],
    ['?uri=https://c.example/nothing.js', AUTH, 404],
    [`?uri=${URI}&version=7`, AUTH, 404],
  ])('is nothing otherwise: %s', async (query, headers, status) => {
    expect((await forget(query, headers)).status).toBe(status);
    expect(await node.registry.pins.counts()).toEqual({ all: 1, changed: 1 });
  });
});

describe('what an author promises', () => {
  const post = (integrity: unknown) =>
    node.app.request('/component', postJson([{ uri: URI, label: 'Card', integrity }]));

  test.each([
    hash('c'),
    hash('c', 'sha256', 44),
    hash('c', 'sha512', 88),
    `${hash('c')}\n${hash('d')}?ct=text/javascript`,
    `md5-x ${hash('c')}`,
  ])('is taken as Subresource Integrity has it: %s', async (integrity) => {
    expect((await post(integrity)).status).toBe(201);
    const [, own] = await node.registry.catalog.statements(URI);
    expect(own?.metadata.integrity).toBe(integrity);
  });

  test.each<[unknown, RegExp]>([
    ['', /must not be empty/],
    ['sha1-abc', /integrity must be sha256-, sha384- or sha512- with a digest in base64/],
    [hash('ü'), /integrity must be sha256-/],
    [[hash('c'), hash('d')], /integrity may have only one value/],
    [`${hash('c')} `.repeat(100), /at most 1024 characters/],
  ])('is refused with a pointer when no browser could check it: %#', async (integrity, why) => {
    const answer = await post(integrity);
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringMatching(why)]);
  });
});
