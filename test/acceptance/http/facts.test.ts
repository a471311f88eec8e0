import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { HOSTILE } from '../../support/explorer-pages.js';
import { postJson } from '../../support/node/post-json.js';
import { BASE, component, createTestApp, type TestApp } from '../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/components/' };
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };
const URI = 'https://pod.example/card.js';
const DAY = 86_400_000;

type Told = Readonly<Record<'firstSeen' | 'bytes' | 'npm', unknown>>;

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const isoText = (at: number) => new Date(at).toISOString();
const facts = async (uri = URI): Promise<Told | undefined> => {
  const answer = await app.app.request(`/why?uri=${encodeURIComponent(uri)}`);
  return ((await answer.json()) as { facts?: Told }).facts;
};
describe('what a node knows by itself', () => {
  test('is when it saw what, whose host serves the module, and who else uses the name', async () => {
    const first = app.node.now;
    await app.registry.commit({
      source: POD,
      documents: [{ url: `${POD.url}a.ttl`, components: [component(URI, { label: 'Card' })], record: {} }],
      record: { failures: 0, firstSuccess: first - DAY },
    });
    await app.say(STRANGER, [component('https://stranger.example/a.js', { label: 'Card' })]);
    const known = {
      firstSeen: isoText(first),
      sourceFirstRead: isoText(first - DAY),
      module: { host: 'pod.example', of: 'source' },
      sameName: 1,
    };
    expect(await facts()).toEqual(known);
  });

  test.each([
    [`${BASE}/starter/a.js`, [], 'node'],
    ['https://c.example/a.js', ['https://c.example/ann'], 'named-author'],
    ['https://c.example/a.js', ['https://d.example/ann', 'Ann'], 'other'],
  ])('says of %s, which names the authors %j, that its host is %s', async (uri, author, of) => {
    await app.say(POD, [component(uri, { author })]);
    expect(await facts(uri)).toMatchObject({ module: { host: new URL(uri).host, of } });
  });

  test('cannot be set by what is posted or written', async () => {
    const claims = {
      since: '1990-01-01T00:00:00.000Z',
      facts: { firstSeen: '1990-01-01T00:00:00.000Z' },
      source: { url: URI, kind: 'pod', trust: 'own' },
      ...{ author: [HOSTILE], tag: [HOSTILE], description: HOSTILE, version: HOSTILE },
    };
    const posted = { uri: 'https://c.example/a.js', label: HOSTILE, ...claims };
    const { facts: _, ...accepted } = posted;
    expect((await app.app.request('/component', postJson(posted))).status).toBe(422);
    expect((await app.app.request('/component', postJson(accepted))).status).toBe(201);
    expect(await facts(posted.uri)).toEqual({
      firstSeen: isoText(app.node.now),
      module: { host: 'c.example', of: 'other' },
      sameName: 0,
    });
  });
});
