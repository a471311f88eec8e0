import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { listsDigest } from '../../../src/component/network-list.js';
import type { NetworkLists } from '../../../src/core/network-lists.js';
import { feedDigest } from '../../../src/core/source-digests.js';
import { ListScopes, MOST_HOPS } from '../../../src/http/network/list-scopes.js';
import type { State } from '../../../src/registry/state.js';
import type { FeedPage } from '../../support/feed-copy.js';
import { BASE, component, createTestApp, type TestApp } from '../../support/registry-app.js';

const at = (hops: number, name = 'p') => ({
  url: `https://${name}${hops}.example`,
  hops,
  via: ['https://v.example'].slice(0, hops),
});
const LISTS: NetworkLists = { peers: [at(0), at(1), at(2), at(3)], storage: [at(0, 's'), at(2, 's')] };
const POD = { kind: 'pod', url: 'https://pod.example/' } as const;

describe('what a node knows within some hops', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await createTestApp();
    await test.registry.setNetwork(LISTS);
  });
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    test.app.request(path.replace(BASE, ''), { headers });
  const page = async (path: string) => (await (await ask(path)).json()) as FeedPage;
  const urls = async (path: string) => (await (await ask(path)).json()) as string[];
  const tagOf = async (path: string, accept = 'application/json') =>
    (await ask(path, { accept })).headers.get('etag') ?? '';
  /** Somebody three hops away comes, and later the operator configures somebody. */
  const farther = () => test.registry.setNetwork({ ...LISTS, peers: [...LISTS.peers, at(3, 'q')] });
  const nearer = () => test.registry.setNetwork({ ...LISTS, storage: [...LISTS.storage, at(0, 't')] });

  it('is listed in both representations, and all of it when nothing is asked', async () => {
    expect(await urls('/peers')).toHaveLength(4);
    expect(await urls('/peers?hops=16')).toHaveLength(4);
    expect(await urls('/peers?hops=1')).toEqual([at(0).url, at(1).url]);
    expect(await urls('/storage?hops=1')).toEqual([at(0, 's').url]);
    const turtle = await (await ask('/peers?hops=1', { accept: 'text/turtle' })).text();
    expect(turtle).toContain(at(1).url);
    expect(turtle).not.toContain(at(2).url);
  });

  it('is refused for what is no number of hops', async () => {
    for (const hops of ['', '-1', '17', '1.5', 'all', '1&hops=1']) {
      for (const path of ['/peers', '/storage', '/feed', '/feed/sources']) {
        expect((await ask(`${path}?hops=${hops}`)).status, path + hops).toBe(400);
      }
      const line = await ask(`/feed?hops=${hops}`, { accept: 'text/event-stream' });
      expect(line.status).toBe(400);
    }
    expect((await ask('/peers?other=1')).status).toBe(200);
  });

  it('has entity tags and dates that move with what is listed there, and with nothing else', async () => {
    const paths = [
      '/peers?hops=0',
      '/peers?hops=2',
      '/storage?hops=0',
      '/storage?hops=2',
      '/peers',
      '/storage',
    ];
    const tags = async () => {
      const all = paths.flatMap((path) =>
        ['application/json', 'text/turtle'].map((type) => [path, type] as const),
      );
      return Promise.all(all.map(([path, type]) => tagOf(path, type)));
    };
    const before = await tags();
    expect(new Set(before).size).toBe(before.length);
    test.node.now += 60_000;
    const dated = (await ask('/storage?hops=0')).headers.get('last-modified') ?? '';
    test.node.now += 60_000;
    await farther();
    const [tag = ''] = before;
    expect((await ask('/peers?hops=0', { 'if-none-match': tag })).status).toBe(304);
    expect((await ask('/storage?hops=0', { 'if-modified-since': dated })).status).toBe(304);
    expect((await tags()).slice(0, 8)).toEqual(before.slice(0, 8));
    expect((await tags()).slice(8)).not.toEqual(before.slice(8));
    test.node.now += 60_000;
    await nearer();
    expect((await ask('/storage?hops=0', { 'if-none-match': before[4] ?? '' })).status).toBe(200);
    expect((await ask('/storage?hops=0', { 'if-modified-since': dated })).status).toBe(200);
    expect((await ask('/peers?hops=0', { 'if-none-match': tag })).status).toBe(304);
  });

  it('is sent with gzip to who accepts it and where that is worth it, under a tag of its own', async () => {
    const many = Array.from({ length: 40 }, (_, i) => at(1, `p${i}-`));
    await test.registry.setNetwork({ peers: many, storage: [at(0, 's')] });
    const [path, gzip] = ['/peers?hops=1', { 'accept-encoding': 'gzip' }];
    const [plain, coded] = [await ask(path), await ask(path, gzip)];
    expect([plain, coded].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect(coded.headers.get('vary')).toBe('Accept, Accept-Encoding');
    const bytes = new Uint8Array(await coded.arrayBuffer());
    const text = await plain.text();
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 3);
    const [tag = '', other = ''] = [coded, plain].map(({ headers }) => headers.get('etag') ?? '');
    expect(tag).not.toBe(other);
    expect((await ask(path, { ...gzip, 'if-none-match': tag })).status).toBe(304);
    expect((await ask(path, { ...gzip, 'if-none-match': other })).status).toBe(200);
    expect((await ask('/storage?hops=1', gzip)).headers.get('content-encoding')).toBeNull();
    await test.registry.setNetwork({ peers: many.slice(1), storage: [] });
    const fewer = new Uint8Array(await (await ask(path, gzip)).arrayBuffer());
    expect(JSON.parse(gunzipSync(fewer).toString())).toHaveLength(39);
    const turtle = await ask(path, { ...gzip, accept: 'text/turtle' });
    expect(gunzipSync(new Uint8Array(await turtle.arrayBuffer())).toString()).toContain('hops');
  });

  it('has the same entity tags after a restart', async () => {
    const tag = await tagOf('/peers?hops=1');
    const again = new ListScopes(test.registry.catalog);
    const other = await createTestApp({}, { listScopes: again, catalog: test.registry.catalog });
    const answer = await other.app.request('/peers?hops=1', { headers: { 'if-none-match': tag } });
    expect(answer.status).toBe(304);
  });

  it('has a revision of its own in the feed, with digests that agree with it', async () => {
    await test.say(POD, [component('https://c.example/a.js')]);
    const numbers = async () =>
      Promise.all([0, 2, 3].map(async (hops) => (await page(`/feed?kinds=local,pod&hops=${hops}`)).network));
    const before = await numbers();
    await farther();
    const [near, middle, far] = await numbers();
    expect([near, middle]).toEqual(before.slice(0, 2));
    expect(far).toBeGreaterThan(before[2] ?? 0);
    await nearer();
    for (const number of await numbers()) expect(number).toBeGreaterThan(far ?? 0);
    for (const path of [
      '/feed?kinds=local,pod&hops=1',
      '/feed/sources?kinds=local,pod&hops=1',
      '/feed?hops=1',
    ]) {
      const { digest, network } = await page(path);
      expect(digest, path).toBe(feedDigest((await test.registry.state()).feed.sources, network));
    }
  });

  it('is told in short within the same hops, and the next page goes on so', async () => {
    await test.say(
      POD,
      ['a', 'b', 'c'].map((name) => component(`https://c.example/${name}.js`)),
    );
    const within = { peers: LISTS.peers.slice(0, 2), storage: LISTS.storage.slice(0, 1) };
    const first = await ask('/feed?hops=1&limit=2');
    expect(first.headers.get('feed-lists')).toBe(listsDigest(within));
    expect((await ask('/feed')).headers.get('feed-lists')).toBe(listsDigest(LISTS));
    const { next = '', cursor } = (await first.json()) as FeedPage;
    expect(new URL(next).searchParams.get('hops')).toBe('1');
    expect((await ask(next)).headers.get('feed-lists')).toBe(listsDigest(within));
    // The number in a page may be another one after a restart.
    const [weak, again] = [first.headers.get('etag') ?? '', '/feed?hops=1&limit=2'];
    expect(weak).toBe(`W/"${cursor}j"`);
    for (const tag of [weak, weak.slice(2)]) {
      expect((await ask(again, { 'if-none-match': tag })).status).toBe(304);
    }
    expect((await ask('/feed/sources?hops=1')).headers.get('etag')).toBe(weak);
    const head = await test.app.request(`/feed?since=${cursor}&hops=0`, { method: 'HEAD' });
    expect(head.headers.get('feed-lists')).toBe(listsDigest({ peers: [at(0)], storage: [at(0, 's')] }));
  });

  it('is listed by a mirror, whose cursor tells of everything all the same', async () => {
    const mirror = await createTestApp({ mode: 'mirror' });
    await mirror.registry.setNetwork(LISTS);
    const json = async (path: string) => (await mirror.app.request(path)).json();
    expect(await json('/peers?hops=0')).toEqual([at(0).url]);
    const told = (await json('/feed?kinds=local,pod&hops=0')) as FeedPage;
    expect(told).not.toHaveProperty('digest');
    expect(told.network).toBe((await mirror.registry.state()).networkRevision.number);
  });
});

describe('the revisions of scopes', () => {
  /** Lists of a node whose hops are few, or more than can be asked for. */
  const entries = fc.array(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), hops: fc.constantFrom(0, 1, 2, 20) }),
    { maxLength: 3 },
  );
  const lists = entries.map(
    (all): NetworkLists => ({ peers: all.map(({ name, hops }) => at(hops, name)), storage: [] }),
  );
  const history = fc.array(fc.record({ lists, asked: fc.subarray(['one', 'other', 'late'] as const) }), {
    minLength: 1,
    maxLength: 8,
  });

  it('name the same number only for the same content, whichever of several nodes says so, and whatever it has seen', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        let number = 0;
        let current: NetworkLists = { peers: [], storage: [] };
        const shown = () => ({ networkRevision: { epoch: 'e', number, since: number } }) as State;
        const scopes = () => new ListScopes({ state: async () => shown(), network: async () => current });
        const nodes = { one: scopes(), other: scopes(), late: scopes() };
        const contents = new Map<string, string>();
        const named = new Map<string, number>();
        for (const { lists, asked } of steps) {
          number += 1;
          current = lists;
          for (const name of asked) {
            const scoped = await nodes[name].at(shown());
            for (const scope of [0, 1, 2, MOST_HOPS, undefined]) {
              const told = scoped.revision(scope).number;
              const within = current.peers.filter(({ hops }) => hops <= (scope ?? 99));
              const key = `${scope} ${told}`;
              const content = JSON.stringify(within.toSorted((a, b) => a.hops - b.hops));
              expect(contents.get(key) ?? content).toBe(content);
              contents.set(key, content);
              expect(told).toBeGreaterThanOrEqual(named.get(`${name} ${scope}`) ?? 0);
              named.set(`${name} ${scope}`, told);
            }
          }
        }
      }),
    );
  });
});
