import { beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, type FakePeer, simple } from '../../support/peer/fake-peer.js';
import { polledPeer } from '../../support/peer/polled-peer.js';
import { type TestRegistry, VOCABULARY } from '../../support/registry.js';

describe('a peer', () => {
  const { fresh, poll, served, documents, introduced } = polledPeer();
  let peer: FakePeer;
  let registry: TestRegistry;
  beforeEach(() => {
    ({ peer, registry } = fresh);
  });

  describe('in whatever dialect it speaks', () => {
    it.each(['n-quads', 'turtle', 'turtle-c', 'json-ld', 'plain', 'listing', 'compact'] satisfies Dialect[])(
      '%s',
      async (dialect) => {
        peer.dialect = dialect;
        peer.says(simple('a'), simple('b', 'with "quotes"'));
        expect(await poll()).toMatchObject({ ok: true, added: 2 });
        expect(await served()).toEqual(['a', 'with "quotes"']);
        expect(await registry.get('https://c.example/a.js')).toBeDefined();
        expect(await documents()).toEqual([`urn:registry:peer:${peer.url}:urn:registry:local`]);
      },
    );

    it.each(['turtle-c', 'listing'] satisfies Dialect[])(
      '%s, with addresses of another name than the one it is asked by',
      async (dialect) => {
        Object.assign(peer, { dialect, alias: 'https://other.example/registry' });
        peer.says(simple('a'));
        expect(await poll()).toMatchObject({ ok: true, added: 1 });
        expect(await registry.get('https://c.example/a.js')).toBeDefined();
      },
    );

    it('stumbling over lists of media types: asked in single ones, and again in those', async () => {
      peer.stumbles = true;
      peer.dialect = 'plain';
      peer.says(simple('a'));
      peer.storage = ['https://pod.example/'];
      expect(await poll()).toMatchObject({ ok: true, added: 1 });
      expect((await introduced()).storage.map(({ url }) => url)).toEqual(['https://pod.example/']);
      peer.seen();
      expect(await poll()).toMatchObject({ ok: true });
      expect(peer.seen()).toEqual(['/peers', '/storage', '/component']);
    });

    it('without entity tags: nothing is written for a body that is the same', async () => {
      peer.etags = false;
      peer.says(simple('a'));
      await poll();
      const { revision } = await registry.state();
      expect(await poll()).toMatchObject({ ok: true, added: 0, changed: 0 });
      expect((await registry.state()).revision).toEqual(revision);
      peer.says(simple('b'));
      expect(await poll()).toMatchObject({ added: 1, removed: 1 });
    });

    it('without the lists: a node that never had them is one that knows nobody', async () => {
      for (const path of ['/peers', '/storage']) peer.faults.set(path, { status: 404 });
      peer.says(simple('a'));
      expect(await poll()).toMatchObject({ ok: true, added: 1 });
      peer.faults.clear();
      peer.peers = ['https://other.example'];
      await poll();
      peer.faults.set('/peers', { status: 404 });
      expect(await poll()).toMatchObject({ ok: false, error: 'GET /peers: answers 404' });
      expect((await introduced()).peers).toHaveLength(1);
    });
  });

  /** Lists so many components in pages of a hundred, as a node of ours does that knows itself by another name. */
  function servePages(count: number, version: () => number): string[] {
    const asked: string[] = [];
    peer.server.everything(({ url, headers }) => {
      if (!url.startsWith('/component')) return { body: '[]' };
      asked.push(url);
      const etag = `"${version()}"`;
      if (headers['if-none-match'] === etag) return { status: 304 };
      const names = Array.from({ length: count }, (_, i) => String(i).padStart(3, '0'));
      const after = new URL(url, peer.url).searchParams.get('after') ?? '';
      const rest = names.filter((name) => `https://c.example/${name}` > after);
      const page = rest.slice(0, 100);
      const behind = encodeURIComponent(`https://c.example/${page.at(-1)}`);
      const link = `<http://elsewhere.example/component?after=${behind}>; rel="next"`;
      const more: Record<string, string> = rest.length > page.length ? { link } : {};
      const body = page.map((name) => quad(name, 'd', `version ${version()}`)).join('');
      const node = { 'content-type': 'application/n-quads', 'feed-cursor': 'peer.1.00000000' };
      return { headers: { etag, ...node, ...more }, body };
    });
    return asked;
  }
  const quad = (name: string, graph: string, label = 'x') =>
    `<https://c.example/${name}> <${VOCABULARY.predicates.label}> "${label}" <https://pod.example/${graph}> .\n`;

  it('is read page by page, and conditionally all the same', async () => {
    const asked = servePages(300, () => 1);
    expect(await poll()).toMatchObject({ ok: true, added: 300 });
    expect(asked).toHaveLength(3);
    asked.splice(0);
    await poll();
    expect(asked).toEqual(['/component?graphs=all&limit=1000']);
    expect(await registry.size()).toBe(300);
  });

  it('is read again next time when it changes between pages', async () => {
    const asked: string[] = servePages(300, () => (asked.length < 2 ? 1 : 2));
    expect(await poll()).toMatchObject({ ok: true, added: 300 });
    await poll();
    expect(new Set(await served())).toEqual(new Set(['version 2']));
  });

  /** Answers with pages without an end. */
  function serveEndlessly(page: (number: number) => string): () => number {
    let pages = 0;
    peer.server.everything(({ url }) => {
      if (!url.startsWith('/component')) return { body: '[]' };
      pages += 1;
      const link = `</component?page=${pages}>; rel="next"`;
      const node = { 'content-type': 'application/n-quads', 'feed-cursor': 'peer.1.00000000' };
      return { headers: { link, ...node }, body: page(pages) };
    });
    return () => pages;
  }

  it('is not read to its end when its pages are almost empty', async () => {
    const pages = serveEndlessly((number) => quad(String(number), 'd'));
    expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('almost empty') });
    expect(pages()).toBe(101);
    expect(await served()).toEqual([]);
  });

  it('is not read to its end when its pages together name too many documents', async () => {
    const hundred = (number: number) =>
      Array.from({ length: 100 }, (_, i) => quad(`${number}-${i}`, `${number}-${i % 60}`)).join('');
    const pages = serveEndlessly(hundred);
    expect(await poll()).toMatchObject({
      ok: false,
      error: expect.stringContaining('more than 100 documents'),
    });
    expect(pages()).toBe(2);
  });

  it.each(['http://[', 'http://elsewhere.example/component?page=2'])(
    'that comes in pages of its own accord, which cannot be followed (%s), has not been read: nothing of it goes',
    async (next) => {
      peer.says(simple('a'), simple('b'));
      await poll();
      peer.server.everything(({ url }) => {
        if (!url.startsWith('/component')) return { body: '[]' };
        const headers = { link: `<${next}>; rel="next"`, 'content-type': 'application/json' };
        return { headers, body: JSON.stringify([simple('a')]) };
      });
      expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('cannot follow') });
      expect(await registry.size()).toBe(2);
    },
  );

  it('is followed from page to page, its lists too, however it names them at its own server', async () => {
    const json = { 'content-type': 'application/json' };
    const inPages = (path: string, all: readonly unknown[], url: string) => {
      const page = Number(new URL(url, peer.url).searchParams.get('page') ?? 1);
      const link: Record<string, string> = {};
      if (page < all.length) link.link = `<${path}?page=${page + 1}>; rel="next"`;
      return { headers: { ...json, ...link }, body: JSON.stringify([all[page - 1]]) };
    };
    const all = {
      '/component': [simple('a'), simple('b'), simple('c')],
      '/peers': ['https://one.example', 'https://two.example'],
    };
    peer.server.everything(({ url }) => {
      if (url.includes('graphs')) return { headers: json, body: '[]' };
      const [path, said] = Object.entries(all).find(([path]) => url.startsWith(path)) ?? [];
      return path && said ? inPages(path, said, url) : { status: 404 };
    });
    expect(await poll()).toMatchObject({ ok: true, added: 3 });
    expect((await introduced()).peers.map(({ url }) => url)).toEqual(all['/peers']);
    all['/component'].splice(1, 1);
    expect(await poll()).toMatchObject({ ok: true, removed: 1 });
  });

  it.each(['/component', '/peers'])('whose pages of %s lead in a circle has not been read', async (path) => {
    peer.says(simple('a'));
    await poll();
    peer.server.everything(({ url }) => {
      if (!url.startsWith(path)) return { body: '[]', headers: { 'content-type': 'application/json' } };
      const headers = { link: `<${path}?page=2>; rel="next"`, 'content-type': 'application/json' };
      return { headers, body: path === '/peers' ? '["https://one.example"]' : JSON.stringify([simple('b')]) };
    });
    expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('circle') });
  });

  describe('that fails in one thing', () => {
    it.each(['/peers', '/storage', '/component'])(
      '%s does not keep the others from being read',
      async (broken) => {
        peer.says(simple('a'));
        peer.peers = ['https://p.example'];
        peer.storage = ['https://s.example/'];
        await poll();
        peer.says(simple('b'));
        peer.peers = ['https://p2.example'];
        peer.storage = ['https://s2.example/'];
        peer.faults.set(broken, { status: 503, headers: { 'retry-after': '120' } });
        expect(await poll()).toMatchObject({ ok: false, error: `GET ${broken}: answers 503` });
        expect(await served()).toEqual([broken === '/component' ? 'a' : 'b']);
        expect((await introduced()).peers.map(({ url }) => url)).toEqual([
          broken === '/peers' ? 'https://p.example' : 'https://p2.example',
        ]);
        peer.faults.clear();
        expect(await poll()).toMatchObject({ ok: true });
        expect(await served()).toEqual(['b']);
      },
    );

    it('is asked for nothing more when nobody is there', async () => {
      await peer.server.close();
      expect(await poll()).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^GET \/feed: no answer/),
      });
      expect(fresh.asked).toEqual([peer.server.url('/feed')]);
    });
  });
});
