import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { NOTHING } from '../../../src/core/amount.js';
import { allowance } from '../../../src/core/limits.js';
import { PeerDocuments } from '../../../src/sync/peer/peer-documents.js';
import { inTurtle } from '../../support/fake-server.js';
import { type Dialect, FakePeer, simple } from '../../support/peer/fake-peer.js';
import { PolledPeer, polledPeer } from '../../support/peer/polled-peer.js';
import { component, VOCABULARY } from '../../support/registry.js';

const ALL = '/component?graphs=all&limit=1000';
const JSON_TYPE = { 'content-type': 'application/json' };
/** What listings of nodes of ours say of themselves. */
const OURS = { 'content-type': 'application/n-quads', 'feed-cursor': 'peer.1.00000000' };
const LONG_AGO = 'Thu, 02 Jan 2020 10:00:00 GMT';

const quad = (name: string, label = 'x') =>
  `<https://c.example/${name}> <${VOCABULARY.predicates.label}> "${label}" <https://pod.example/d> .\n`;

describe('a peer without a feed', () => {
  let node: PolledPeer;
  let peer: FakePeer;
  beforeEach(async () => {
    node = await polledPeer(PolledPeer);
    peer = new FakePeer(node.server);
  });
  const served = () => node.registry.labels();
  const documents = async () => [...((await node.stored())?.documents.values() ?? [])];
  const failing = (error: string) => ({ ok: false, error: expect.stringContaining(error) });
  /** The requests for components in one poll. */
  const asked = async () => {
    peer.seen();
    await node.poll();
    return peer.seen().filter((url) => url.startsWith('/component'));
  };

  const DIALECTS = ['n-quads', 'turtle', 'turtle-c', 'json-ld', 'plain', 'listing', 'compact'] as const;
  it.each<[Dialect, alias?: string]>([
    ...DIALECTS.map((one): [Dialect] => [one]),
    // They name components by addresses at the node, which may know itself by another one.
    ['turtle-c', 'https://other.example/registry'],
    ['listing', 'https://other.example/registry'],
  ])(
    'is read in whatever dialect it speaks: %s of %s, and moves no bodies while it says the same',
    async (dialect, alias) => {
      Object.assign(peer, { dialect, alias });
      peer.says(simple('a'), simple('b', 'with "quotes"'));
      expect(await node.poll()).toMatchObject({ ok: true, added: 2 });
      expect(await served()).toEqual(['a', 'with "quotes"']);
      expect(await node.registry.get('https://c.example/a.js')).toBeDefined();
      const urls = [...((await node.stored())?.documents.keys() ?? [])].map(decodeURIComponent);
      expect(urls).toEqual([`urn:registry:peer:${peer.url}:urn:registry:local`]);
      peer.bodies();
      expect(await asked()).toEqual([dialect === 'n-quads' ? ALL : '/component']);
      expect(peer.bodies()).toBe(0);
    },
  );

  it('that stumbles over lists of media types is asked for single ones', async () => {
    Object.assign(peer, { stumbles: true, dialect: 'plain', storage: ['https://pod.example/'] });
    peer.says(simple('a'));
    expect(await node.poll()).toMatchObject({ ok: true, added: 1 });
    expect((await node.introduced()).storage.map(({ url }) => url)).toEqual(['https://pod.example/']);
  });

  it('with dates alone is asked with them, also after a restart', async () => {
    Object.assign(peer, { lastModified: LONG_AGO, dialect: 'listing' });
    peer.says(simple('a'));
    expect(await node.poll()).toMatchObject({ ok: true, added: 1 });
    node.restart();
    peer.bodies();
    peer.seen();
    peer.server.requests.splice(0);
    expect(await node.poll()).toMatchObject({ ok: true });
    const dates = peer.server.requests.map(({ headers }) => headers['if-modified-since']);
    expect(dates).toEqual([LONG_AGO, LONG_AGO, LONG_AGO]);
    expect(peer.bodies()).toBe(0);
  });

  it('without the lists knows nobody; one that has lost them is failing', async () => {
    for (const path of ['/peers', '/storage']) peer.faults.set(path, { status: 404 });
    peer.says(simple('a'));
    expect(await node.poll()).toMatchObject({ ok: true, added: 1 });
    peer.faults.clear();
    peer.peers = ['https://other.example'];
    await node.poll();
    peer.faults.set('/peers', { status: 404 });
    expect(await node.poll()).toMatchObject({ ok: false, error: 'GET /peers: answers 404' });
    expect((await node.introduced()).peers).toHaveLength(1);
  });

  it('whose list was Turtle and is plain now is failing: what it was told would seem to be its own words', async () => {
    const listed = `<${VOCABULARY.network.peer}> <https://other.example>.`;
    peer.faults.set('/peers', inTurtle(`<${peer.url}> a <${VOCABULARY.network.node}>; ${listed}`));
    expect(await node.poll()).toMatchObject({ ok: true });
    peer.faults.clear();
    expect(await node.poll()).toMatchObject(failing('it was Turtle before'));
    expect((await node.introduced()).peers).toHaveLength(1);
  });

  describe('that is a node of ours', () => {
    it('speaks for itself and for pods that only it reads, and for nobody else', async () => {
      node.pods = ['https://mine.example/pod/'];
      peer.says(simple('own'));
      peer.graphs.set('https://theirs.example/pod/x.ttl', [simple('relayed')]);
      peer.graphs.set('https://mine.example/pod/x.ttl', [simple('covered')]);
      peer.graphs.set('urn:registry:peer:https%3A%2F%2Fp:urn%3Aregistry%3Alocal', [simple('second-hand')]);
      expect(await asked()).toEqual([ALL]);
      expect(await served()).toEqual(['own', 'relayed']);
    });

    it('is read with all graphs once it is one', async () => {
      peer.dialect = 'listing';
      peer.says(simple('own'));
      await node.poll();
      peer.dialect = 'n-quads';
      peer.says(simple('own'), simple('more'));
      expect(await asked()).toEqual(['/component', ALL]);
      expect(await asked()).toEqual([ALL]);
      expect(await served()).toEqual(['more', 'own']);
    });

    it('and answers without its graphs is not taken: all would seem to be its own words', async () => {
      peer.says(simple('own'));
      await node.poll();
      peer.parameters = 'refused';
      peer.says(simple('other'));
      expect(await node.poll()).toMatchObject(failing('who says what'));
      expect(await served()).toEqual(['own']);
    });

    it('is mirrored as what it says of itself; a node that says nothing of that, as learned', async () => {
      node.restart('mirror');
      const listed = `<${VOCABULARY.network.storage}> <https://pod.example/>, <https://other.example/x.ttl>.`;
      peer.faults.set('/storage', inTurtle(`<${peer.url}> a <${VOCABULARY.network.node}>; ${listed}`));
      peer.says(simple('own'));
      peer.graphs.set('https://pod.example/x.ttl', [simple('pod')]);
      peer.graphs.set('https://unlisted.example/x.ttl', [simple('unlisted')]);
      const shown = async () =>
        (await node.registry.everything())
          .map(({ metadata, source, trust }) => `${metadata.label}: ${source.kind} ${trust}`)
          .sort();
      await node.poll();
      expect(await shown()).toEqual([
        'own: local configured',
        'pod: pod configured',
        'unlisted: pod learned',
      ]);
      peer.dialect = 'plain';
      await node.poll();
      expect(await shown()).toEqual(['own: peer learned']);
    });
  });

  it('has what is invalid named, and the rest taken', async () => {
    peer.says(simple('a'), { ...simple('b'), label: '' });
    expect(await node.poll()).toMatchObject({ ok: true, added: 1 });
    const [document] = await documents();
    expect(document?.invalid).toEqual([
      { subject: 'https://c.example/b.js', reasons: [expect.stringContaining('label')] },
    ]);
  });

  it('has a document that cannot be understood refused alone', async () => {
    const broken = '<https://c.example/b> <not an IRI> "x" <https://pod.example/broken> .\n';
    peer.faults.set('/component', { headers: OURS, body: quad('a') + broken });
    expect(await node.poll()).toMatchObject({ ok: true, added: 1 });
    const errors = (await documents()).map(({ error }) => error);
    expect(errors.toSorted()).toEqual([expect.any(String), undefined]);
  });

  it('that lists more than is kept is taken in part, and what it deletes goes', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const omitted = async () => (await documents()).map((one) => one.omitted);
    peer.says(...names.map((name) => simple(name)));
    expect(await node.poll({ maxComponents: 3 })).toMatchObject({ ok: true, added: 3 });
    expect(await served()).toEqual(['a', 'b', 'c']);
    expect(await omitted()).toEqual([2]);
    peer.says(...names.slice(1).map((name) => simple(name)));
    await node.poll({ maxComponents: 3 });
    expect(await served()).toEqual(['b', 'c', 'd']);
    await node.poll({ maxComponents: 10 });
    expect(await served()).toEqual(['b', 'c', 'd', 'e']);
    expect(await omitted()).toEqual([undefined]);
  });

  it('that says more than this node can hold keeps what is stored, up to date, before what comes; its feed is given up', () => {
    const long = (name: string, length: number) => component(name, { description: 'x'.repeat(length) });
    const [url, of, stored] = ['https://peer.example', 'local urn:registry:local', component('s')];
    const find = (uri: string) => (uri === stored.uri ? { uri, metadata: stored } : undefined);
    const limits = {
      most: NOTHING,
      room: NOTHING,
      isWanted: () => true,
      sayings: () => ({ said: [], find }),
    };
    const polling = { url, isMirror: false, limits } as never;
    const feed = new PeerDocuments(polling, 'feed');
    const addAll = () => {
      for (let i = 0; i < 1000; i++) feed.add({ graph: 'd', of, components: [long(`n${i}`, 10_000)] });
    };
    // What cannot be understood is no feed, either (fallback.test.ts).
    expect(addAll).toThrow(expect.objectContaining({ why: 'malformed' }));
    const documents = new PeerDocuments(polling, 'listing');
    const add = (component: Metadata) => documents.add({ graph: 'd', of, components: [component] });
    for (let i = 0; i < 1000; i++) add(long(`n${i}`, 10_000));
    add(long('s', 10_000));
    const read = () => [...documents.readings(undefined)][0];
    expect(read()?.components).toContainEqual(long('s', 10_000));
    const held = read()?.components?.length ?? 0;
    expect(held).toBeGreaterThan(400);
    expect(read()?.record).toMatchObject({ omitted: 1001 - held, firstOmitted: expect.any(Number) });
    // What it says of the same again and again.
    for (let i = 0; i < 1000; i++) add(long('s', 10_001));
    expect(read()?.components).toContainEqual(stored);
  });

  it('that lists fifty thousand documents is read at the default limits', () => {
    const limits = { most: allowance(100_000), room: NOTHING, isWanted: () => true };
    const polling = { url: 'https://peer.example', isMirror: false, limits };
    const documents = new PeerDocuments(polling as never, 'feed');
    for (let i = 0; i < 50_000; i++) {
      const [pod, components] = [`https://pod${i}.example/`, [component(`c${i}`)]];
      documents.add({ graph: `${pod}components/one.ttl`, of: `pod ${pod}`, components });
    }
    expect(documents.gone).toEqual([]);
  });

  describe('in pages', () => {
    type Pages = (page: number) => readonly unknown[] | string | null | undefined;
    /**
     * Serves lists in pages, each of which links to the next one of its list, as far as there is one;
     * `null` is one that cannot be had.
     * @param version of what is listed, by its entity tag
     */
    function inPages(
      lists: Record<string, Pages>,
      next = (path: string, page: number) => `${path}?page=${page}`,
      version?: () => number,
    ): string[] {
      const asked: string[] = [];
      peer.server.everything(({ url, headers: { 'if-none-match': known } }) => {
        const { pathname, searchParams } = new URL(url, peer.url);
        const page = Number(searchParams.get('page') ?? searchParams.get('after') ?? 1);
        const list = lists[pathname];
        if (list) asked.push(url);
        const body = list?.(page);
        if (body == null) return { status: 404 };
        const etag = version && `"${version()}"`;
        if (etag !== undefined && known === etag) return { status: 304 };
        const headers: Record<string, string> = { ...(typeof body === 'string' ? OURS : JSON_TYPE) };
        if (etag !== undefined) headers.etag = etag;
        if (list?.(page + 1) !== undefined) headers.link = `<${next(pathname, page + 1)}>; rel="next"`;
        return { headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
      });
      return asked;
    }
    const single =
      (all: readonly unknown[]): Pages =>
      (page) =>
        page > all.length ? undefined : all.slice(page - 1, page);

    it('is read to the last one, and conditionally all the same; again next time when it changes between them', async () => {
      let version = () => 1;
      // As a node of ours does that knows itself by another name.
      const asked = inPages(
        { '/component': (page) => (page > 3 ? undefined : quad(`${page}`, `version ${version()}`)) },
        (path, page) => `http://elsewhere.example${path}?after=${page}`,
        () => version(),
      );
      expect(await node.poll()).toMatchObject({ ok: true, added: 3 });
      expect(asked.splice(0)).toHaveLength(3);
      await node.poll();
      expect(asked.splice(0)).toEqual([ALL]);
      version = () => (asked.length < 2 ? 2 : 3);
      expect(await node.poll()).toMatchObject({ ok: true, changed: 3 });
      await node.poll();
      expect(new Set(await served())).toEqual(new Set(['version 3']));
    });

    it('is followed, however it names them at its own server; its lists too', async () => {
      const all = [simple('a'), simple('b'), simple('c')];
      const peers = ['https://one.example', 'https://two.example'];
      inPages({ '/component': single(all), '/peers': single(peers) });
      expect(await node.poll()).toMatchObject({ ok: true, added: 3 });
      expect(await node.introduced()).toMatchObject({ peers: peers.map((url) => ({ url })), cut: [] });
      all.splice(1, 1);
      expect(await node.poll()).toMatchObject({ ok: true, removed: 1 });
    });

    it('whose first one alone can be had of a list is failing, also where none was known', async () => {
      const first: Pages = (page) => (page === 1 ? ['https://one.example'] : null);
      inPages({ '/component': single([simple('a')]), '/peers': first });
      expect(await node.poll()).toMatchObject(failing('GET /peers: answers 404'));
    });

    it('with little on each of them is read all the same', async () => {
      const ten = (page: number) => Array.from({ length: 10 }, (_, i) => simple(`${page}-${i}`));
      inPages({ '/component': (page) => (page <= 120 ? ten(page) : undefined) });
      expect(await node.poll()).toMatchObject({ ok: true, added: 1200 });
    });

    it.each([
      ['lead elsewhere', () => 'http://elsewhere.example/component?page=2', 'cannot follow'],
      ['lead nowhere', () => 'http://[', 'cannot follow'],
      ['lead in a circle', () => '/component?page=2', 'circle'],
      ['have no end and almost nothing in them', (n: number) => `/component?page=${n}`, 'almost empty'],
    ])('that %s has not been read, and nothing of it goes', async (_, next, error) => {
      peer.says(simple('a'), simple('b'));
      await node.poll();
      let pages = 0;
      inPages({ '/component': () => [simple('a')] }, () => next(++pages));
      expect(await node.poll()).toMatchObject(failing(error));
      expect(pages).toBeLessThan(130);
      expect(await served()).toEqual(['a', 'b']);
    });
  });

  it.each(['/peers', '/storage', '/component'])(
    'that fails in %s alone is read in all else, and recovers',
    async (broken) => {
      const saying = (name: string) => {
        peer.says(simple(name));
        peer.peers = [`https://${name}.example`];
        peer.storage = [`https://${name}.example/pod/`];
      };
      saying('a');
      await node.poll();
      saying('b');
      peer.faults.set(broken, { status: 503, headers: { 'retry-after': '120' } });
      expect(await node.poll()).toMatchObject({ ok: false, error: `GET ${broken}: answers 503` });
      expect(await served()).toEqual([broken === '/component' ? 'a' : 'b']);
      const [known] = (await node.introduced()).peers;
      expect(known?.url).toBe(`https://${broken === '/peers' ? 'a' : 'b'}.example`);
      peer.faults.clear();
      expect(await node.poll()).toMatchObject({ ok: true });
      expect(await served()).toEqual(['b']);
    },
  );

  it('is asked for nothing more when nobody is there', async () => {
    await peer.server.close();
    expect(await node.poll()).toMatchObject(failing('GET /feed: no answer'));
    expect(node.asked).toEqual([peer.server.url('/feed')]);
  });
});
