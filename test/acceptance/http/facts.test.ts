import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { browse, HOSTILE } from '../../support/explorer-pages.js';
import { postJson } from '../../support/node/post-json.js';
import { component, createTestApp, type TestApp } from '../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/components/' };
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };
const URI = 'https://pod.example/card.js';
const DAY = 86_400_000;

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const section = async (uri = URI) => {
  const page = await (await browse(app, `/c/${encodeURIComponent(uri)}`)).text();
  const [, found = ''] = /<dl class="facts">(.*?)<\/dl>/s.exec(page) ?? [];
  return found
    .replace(/<\/dt>/g, ': ')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');
};

describe('what a node knows by itself', () => {
  test('is when it saw what, whose host serves the module, and who else uses the name', async () => {
    await app.registry.commit({
      source: POD,
      documents: [{ url: `${POD.url}a.ttl`, components: [component(URI, { label: 'Card' })], record: {} }],
      record: { failures: 0, firstSuccess: app.node.now - DAY },
    });
    await app.say(STRANGER, [component('https://stranger.example/a.js', { label: 'Card' })]);
    const words = await section();
    expect(words).toContain('First seen: 2026-01-01 12:00:00 UTC');
    expect(words).toContain('Comes from: pod.example the host that describes it, too');
  });

  test.each([
    ['https://c.example/a.js', ['https://c.example/ann'], 'an author whom the description names is there'],
    ['https://c.example/a.js', ['https://d.example/ann', 'Ann'], 'neither the host that describes it nor'],
  ])('says of %s, which names the authors %j, where its host stands', async (uri, author, words) => {
    await app.say(POD, [component(uri, { author })]);
    expect(await section(uri)).toContain(words);
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
    expect(await section(posted.uri)).toContain('First seen: 2026-01-01 12:00:00 UTC');
  });
});
