import { beforeEach, describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/registry/source-record.js';
import type { FeedLine } from '../../support/feed-copy.js';
import { component, createTestApp, type TestApp } from '../../support/registry-app.js';

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const OTHER = { kind: 'pod', url: 'https://other.example/' } as const;
const SOURCE = `/feed/source?${new URLSearchParams(POD)}`;
const HOUR = 3_600_000;
/** After so many ms, `/feed/sources` looks again. */
const LATER = 5_000;

let test: TestApp;
const ask = (address: string, headers: Record<string, string> = {}) =>
  test.app.request(address, { headers: { accept: 'application/json', ...headers } });
const poll = (source: typeof POD | typeof OTHER, record: SourceRecord) =>
  test.registry.commit({ source, documents: [], record });
const lines = async () => {
  test.node.now += LATER;
  return ((await (await ask('/feed/sources')).json()) as { sources: FeedLine[] }).sources;
};

beforeEach(async () => {
  test = await createTestApp();
  await test.say(POD, [component('https://c.example/a')]);
  await test.say(OTHER, [component('https://c.example/b')]);
  await poll(POD, { failures: 0, observed: 1_700_000_000_000 });
});

describe('when a pod was seen, by its own clock', () => {
  it('is in /feed/sources and /feed/source, of pods that the node reads itself', async () => {
    expect((await lines()).map(({ url, observed }) => [url, observed])).toEqual([
      [OTHER.url, undefined],
      [POD.url, 1_700_000_000_000],
    ]);
    const { source } = (await (await ask(SOURCE)).json()) as { source: FeedLine };
    expect(source.observed).toBe(1_700_000_000_000);
  });

  it('moves neither the cursor nor the feed, and comes with no body to whoever knows what is read', async () => {
    const before = await ask('/feed');
    const tag = (await ask('/feed/sources')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\//);
    await poll(POD, { failures: 0, observed: 1_700_000_300_000 });
    const after = await ask('/feed');
    expect(await after.text()).toBe(await before.text());
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    expect((await ask('/feed/sources', { 'if-none-match': tag })).status).toBe(304);
    const cursor = after.headers.get('etag') ?? '';
    expect((await ask(SOURCE, { 'if-none-match': cursor })).status).toBe(304);
    // Who asks without a tag gets the time of now.
    expect((await lines()).find(({ url }) => url === POD.url)?.observed).toBe(1_700_000_300_000);
    const { source } = (await (await ask(SOURCE)).json()) as { source: FeedLine };
    expect(source.observed).toBe(1_700_000_300_000);
  });

  it('gives another tag to /feed/sources when another pod is read, or one is no longer', async () => {
    const tag = (await ask('/feed/sources')).headers.get('etag') ?? '';
    const known = { 'if-none-match': tag };
    await poll(OTHER, { failures: 0, observed: 1_700_000_000_000 });
    test.node.now += LATER;
    expect((await ask('/feed/sources', known)).status).toBe(200);
    await poll(OTHER, { failures: 0 });
    test.node.now += LATER;
    expect((await ask('/feed/sources', known)).status).toBe(304);
    await poll(POD, { failures: 0 });
    test.node.now += LATER;
    const answer = await ask('/feed/sources', known);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe(`"${answer.headers.get('feed-cursor')}"`);
  });

  it('is told while the pod fails for an hour, and then no longer', async () => {
    const observed = 1_700_000_000_000;
    await poll(POD, { failures: 3, failingSince: test.node.now - HOUR + LATER, observed });
    expect((await lines()).some((line) => line.observed !== undefined)).toBe(true);
    expect((await lines()).some((line) => line.observed !== undefined)).toBe(false);
  });

  it('is looked up once in a while for all who ask, however often that is', async () => {
    const { registry } = test;
    let asked = 0;
    const source = registry.source.bind(registry);
    registry.source = (one) => {
      asked += 1;
      return source(one);
    };
    test.node.now += LATER;
    await Promise.all(Array.from({ length: 50 }, () => ask('/feed/sources')));
    expect(asked).toBe(2);
    test.node.now += LATER;
    await ask('/feed/sources');
    expect(asked).toBe(4);
  });
});
