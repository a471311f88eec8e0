import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { precedenceOf } from '../../../src/component/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { coverageOf } from '../../../src/sync/coverage.js';
import { introductionIn } from '../../../src/sync/introduction.js';
import { createPeerSource } from '../../../src/sync/peer/peer-source.js';
import { skippedPods } from '../../../src/sync/relay-policy.js';
import { pollOnce } from '../../../src/sync/schedule/poll-once.js';
import { StorageQuota } from '../../../src/sync/schedule/storage-quota.js';
import { cleanup } from '../../support/cleanup.js';
import { type Dialect, type FakePeer, fakePeer, simple } from '../../support/fake-peer.js';
import { BASE_URL, memoryRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';

const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: true, maxBytes: 20_000, timeoutMs: 500 });
cleanup(() => fetch.close());

describe('a peer', () => {
  let peer: FakePeer;
  let registry: TestRegistry;
  let pods: string[];
  let mode: 'registry' | 'mirror';
  let limits: { maxComponents: number; maxLearnedComponents: number };

  beforeEach(async () => {
    peer = await fakePeer();
    registry = await memoryRegistry({ precedence: precedenceOf({ pods: [], peers: [peer.url] }) });
    pods = [];
    mode = 'registry';
    limits = { maxComponents: 1000, maxLearnedComponents: 1000 };
    source = create();
  });
  let source: ReturnType<typeof create>;
  /** As after a restart: nothing is remembered but what is stored. */
  function create(maxDocuments = 100) {
    return createPeerSource({
      url: peer.url,
      self: BASE_URL,
      mode,
      fetch,
      trust: 'configured',
      clock: systemClock,
      requests: new HostQueues(2),
      vocabulary: VOCABULARY,
      pool: inProcess(withoutPause),
      pace: withoutPause,
      coverage: () => coverageOf(pods),
      maxDocuments,
    });
  }
  async function poll(meanwhile: () => Promise<unknown> = async () => undefined) {
    const quota = new StorageQuota(limits);
    quota.set(source.source, 'configured', await registry.source(source.source));
    const store = {
      source: registry.source.bind(registry),
      commit: async (change: SourceChange) => {
        await meanwhile();
        return registry.commit(change);
      },
    };
    const polling = { registry: store, clock: systemClock, quota, nextAttempt: () => 0 };
    const { report } = await pollOnce(source, polling, new AbortController().signal);
    return report;
  }
  const served = () => registry.labels();
  const stored = () => registry.source(source.source);
  const documents = async () => [...((await stored())?.documents.keys() ?? [])].map(decodeURIComponent);
  const introduced = async () => introductionIn((await stored())?.record);
  const say = (graph: string, ...components: Metadata[]) => peer.graphs.set(graph, components);

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

  it('is asked conditionally, also after a restart', async () => {
    peer.says(simple('a'));
    peer.peers = ['https://other.example'];
    await poll();
    source = create();
    peer.server.requests.splice(0);
    await poll();
    const conditions = peer.server.requests.map(({ headers }) => headers['if-none-match'] !== undefined);
    expect(conditions).toEqual([true, true, true]);
    expect(await served()).toEqual(['a']);
  });

  it('speaks for itself and for pods that only it reads, and for nobody else', async () => {
    pods = ['https://mine.example/pod/', 'https://doc.example/d.ttl'];
    peer.says(simple('own'));
    say('https://theirs.example/pod/x.ttl', simple('relayed'));
    say('https://mine.example/pod/x.ttl', simple('covered'));
    say('https://mine.example/podium.ttl', simple('beside'));
    say('https://doc.example/d.ttl', simple('covered-too'));
    say('urn:registry:peer:https%3A%2F%2Fp:urn%3Aregistry%3Alocal', simple('second-hand'));
    say('urn:other', simple('strange'));
    await poll();
    expect(await served()).toEqual(['beside', 'own', 'relayed']);
  });

  it('is believed no more about a pod once this node has read it, and again when that ends', async () => {
    say('https://pod.example/x.ttl', simple('x'));
    await poll();
    expect(await served()).toEqual(['x']);
    pods = ['https://pod.example/'];
    await poll();
    expect(await served()).toEqual([]);
    await poll();
    expect(await served()).toEqual([]);
    pods = [];
    await poll();
    expect(await served()).toEqual(['x']);
  });

  /** Lists so many components in pages, all of the version that there is at the time. */
  function servePages(count: number, version: () => number): string[] {
    const asked: string[] = [];
    peer.server.everything(({ url, headers }) => {
      if (!url.startsWith('/component')) return { body: '[]' };
      asked.push(url);
      const etag = `"${version()}"`;
      if (headers['if-none-match'] === etag) return { status: 304 };
      const label = `version ${version()}`;
      const all = Array.from({ length: count }, (_, i) => simple(String(i).padStart(3, '0'), label));
      const parameters = new URL(url, peer.url).searchParams;
      const limit = Number(parameters.get('limit') ?? count);
      const rest = all.filter(({ uri }) => uri > (parameters.get('after') ?? ''));
      const page = rest.slice(0, limit);
      // As from a node that knows itself by another name than its peers do.
      const after = encodeURIComponent(page.at(-1)?.uri ?? '');
      const link = `<http://elsewhere.example/component?limit=${limit}&after=${after}>; rel="next"`;
      const more = rest.length > limit ? { link } : {};
      return { headers: { etag, 'content-type': 'application/json', ...more }, body: JSON.stringify(page) };
    });
    return asked;
  }

  it('is read page by page when it is large, and conditionally all the same', async () => {
    const asked = servePages(300, () => 1);
    expect(await poll()).toMatchObject({ ok: true, added: 300 });
    expect(asked).toHaveLength(2 + 6);
    asked.splice(0);
    await poll();
    expect(asked).toEqual(['/component?limit=50']);
    expect(await registry.size()).toBe(300);
  });

  /** Answers the whole listing with more than may be read, and then pages without an end. */
  function serveEndlessly(page: (number: number) => string): () => number {
    let pages = 0;
    peer.server.everything(({ url }) => {
      if (!url.startsWith('/component')) return { body: '[]' };
      if (!url.includes('limit')) return { body: 'x'.repeat(30_000) };
      pages += 1;
      const after = `https://c.example/${String(pages).padStart(6, '0')}`;
      const link = `<${peer.url}/component?limit=1000&after=${encodeURIComponent(after)}>; rel="next"`;
      return { headers: { link, 'content-type': 'application/n-quads' }, body: page(pages) };
    });
    return () => pages;
  }
  const quad = (name: string, graph: string) =>
    `<https://c.example/${name}> <${VOCABULARY.predicates.label}> "x" <https://pod.example/${graph}> .\n`;

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

  it('is read again from the first page when it changes between pages', async () => {
    const asked: string[] = servePages(300, () => (asked.length < 5 ? 1 : 2));
    await poll();
    expect(new Set(await served())).toEqual(new Set(['version 2']));
  });

  it('that changes all the time is read as well as can be, and again next time', async () => {
    const asked: string[] = servePages(300, () => asked.length);
    expect(await poll()).toMatchObject({ ok: true, added: 300 });
    asked.splice(0);
    expect(await poll()).toMatchObject({ ok: true });
    expect(asked.length).toBeGreaterThan(1);
  });

  it('is read page by page when it is too slow to come at once, unless it knows no pages', async () => {
    const asked: string[] = [];
    let pages = true;
    peer.server.everything(({ url }) => {
      if (!url.startsWith('/component')) return { body: '[]' };
      asked.push(url);
      if (!url.includes('limit')) return { hang: 'body', body: 'xx' };
      const body = JSON.stringify([simple('a')]);
      return pages ? { headers: { 'content-type': 'application/json' }, body } : { status: 404 };
    });
    expect(await poll()).toMatchObject({ ok: false });
    expect(await poll()).toMatchObject({ ok: true, added: 1 });
    expect(asked).toEqual(['/component', '/component?limit=1000']);
    pages = false;
    expect(await poll()).toMatchObject({ ok: false });
    peer.server.everything(({ url }) => {
      asked.push(url);
      return { body: '[]', headers: { 'content-type': 'application/json' } };
    });
    expect(await poll()).toMatchObject({ ok: true });
    expect(asked.slice(-2)).toEqual(['/storage', '/component']);
  });

  it('names what is invalid, and takes the rest', async () => {
    peer.says(simple('a'), { ...simple('b'), label: '' });
    expect(await poll()).toMatchObject({ ok: true, added: 1 });
    const [document] = (await stored())?.documents.values() ?? [];
    expect(document?.invalid).toEqual([
      { subject: 'https://c.example/b.js', reasons: [expect.stringContaining('label')] },
    ]);
  });

  it('that names too many documents is not taken at all', async () => {
    peer.says(simple('a'));
    await poll();
    for (let i = 0; i < 6; i++) say(`https://pod.example/${i}`, simple(`x${i}`));
    source = create(5);
    expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('sync.maxDocuments') });
    expect(await served()).toEqual(['a']);
  });

  it('keeps what was noted of it while a poll found nothing new', async () => {
    peer.says(simple('a'));
    await poll();
    const skipped = ['https://pod.example/'];
    await poll(() =>
      registry.commit({ source: source.source, documents: [], record: (now) => ({ ...now, skipped }) }),
    );
    expect(skippedPods((await stored())?.record)).toEqual(skipped);
  });

  it('that lists more than is kept is taken in part, and what it deletes goes', async () => {
    limits.maxComponents = 3;
    const names = ['a', 'b', 'c', 'd', 'e'];
    peer.says(...names.map((name) => simple(name)));
    expect(await poll()).toMatchObject({ ok: true, added: 3 });
    expect(await served()).toEqual(['a', 'b', 'c']);
    expect([...((await stored())?.documents.values() ?? [])]).toMatchObject([{ omitted: 2 }]);
    peer.says(...names.slice(1).map((name) => simple(name)));
    await poll();
    expect(await served()).toEqual(['b', 'c', 'd']);
    limits.maxComponents = 10;
    await poll();
    expect(await served()).toEqual(['b', 'c', 'd', 'e']);
    peer.seen();
    await poll();
    expect((await stored())?.documents.values().next().value).not.toHaveProperty('omitted');
  });

  it('whose record an older version has written is known with all it made known', async () => {
    peer.says(simple('a'));
    peer.peers = ['https://p.example'];
    await poll();
    const entries = [{ url: 'https://old.example', hops: 0, via: [] }];
    await registry.commit({
      source: source.source,
      documents: [],
      record: ({ introduced: _i, skipped: _s, ...record }) => ({
        ...record,
        memo: {
          readAs: record.memo?.readAs,
          peers: { mark: { etag: 'other' }, entries },
          storage: { mark: {}, entries },
          component: { mark: {}, withheld: ['https://pod.example/'] },
        },
      }),
    });
    const old = (await stored())?.record;
    expect(await introduced()).toEqual({ peers: entries, storage: entries });
    expect(skippedPods(old)).toEqual(['https://pod.example/']);
    peer.faults.set('/storage', { status: 503 });
    await poll();
    expect(await introduced()).toMatchObject({ peers: [{ url: 'https://p.example' }], storage: entries });
    expect(skippedPods((await stored())?.record)).toEqual([]);
  });

  it('is mirrored whole, under the names that its graphs have', async () => {
    mode = 'mirror';
    source = create();
    const names = [
      'urn:registry:local',
      'https://pod.example/x.ttl',
      'urn:registry:peer:https%3A%2F%2Fp:urn%3Aregistry%3Alocal',
    ];
    for (const [i, name] of names.entries()) say(name, simple(String(i)));
    await poll();
    expect(await served()).toEqual(['0', '1', '2']);
    expect([...((await stored())?.documents.keys() ?? [])]).toEqual(names);
    peer.graphs.delete('https://pod.example/x.ttl');
    await poll();
    expect(await served()).toEqual(['0', '2']);
  });

  it('is read in full again in another mode', async () => {
    peer.says(simple('a'));
    await poll();
    mode = 'mirror';
    source = create();
    await poll();
    expect(await documents()).toEqual(['urn:registry:local']);
  });

  it('that turns out to be the node itself, by another name, is not read', async () => {
    peer.says(simple('a'));
    await poll();
    const turtle = `<${BASE_URL}/> a <${VOCABULARY.network.node}>.`;
    peer.faults.set('/peers', { headers: { 'content-type': 'text/turtle' }, body: turtle });
    expect(await poll()).toMatchObject({
      ok: false,
      removed: 1,
      error: expect.stringContaining('the node itself'),
    });
    expect(await served()).toEqual([]);
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
      const before = Date.now();
      expect(await poll()).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^GET \/peers: no answer/),
      });
      expect(Date.now() - before).toBeLessThan(400);
    });
  });
});
