import { beforeEach, describe, expect, it } from 'vitest';
import { takenFrom } from '../../../src/component/provenance.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { cursorOf, cursorText } from '../../../src/core/cursor.js';
import { BASE, component, createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';
import { OK } from '../../registry/sources.js';
import type { WirePage } from '../../support/peer/feed-server.js';

/** What a test looks at of a page as it goes over the wire (docs/feed.md). */
type FeedPage = Required<Omit<WirePage, 'next'>> & Pick<WirePage, 'next'>;

const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const PEER = { kind: 'peer', url: 'https://peer.example' } as const;
const uriOf = (name: string) => `https://c.example/${name}.js`;

describe('GET /feed', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await createTestApp();
  });

  const ask = async (address: string, headers: Record<string, string> = {}) =>
    test.app.request(address.replace(BASE, ''), { headers });
  const page = async (address: string) => (await (await ask(address)).json()) as FeedPage;
  const say = (source: Source, names: readonly string[], label = 'x') =>
    test.say(
      source,
      names.map((name) => component(uriOf(name), { label })),
    );
  const cursor = async () => cursorText(cursorOf(await test.registry.state()));
  const told = ({ changes }: FeedPage) => changes.map(({ type, uri }) => `${type} ${uri.slice(18, -3)}`);

  it('tells everything that is stored, shadowed or not, in the order in which it came', async () => {
    await say(POD, ['b', 'a']);
    await say(PEER, ['a']);
    const answer = await ask('/feed');
    const body = (await answer.json()) as FeedPage;
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(body).toMatchObject({ cursor: await cursor(), network: 0 });
    expect(body.sources.map(({ kind, url, count }) => [kind, url, count])).toEqual([
      ['peer', PEER.url, 1],
      ['pod', POD.url, 2],
    ]);
    expect(body.changes.map(({ source, graph, uri }) => [source, graph, uri])).toEqual(
      expect.arrayContaining([
        [POD, POD.url, uriOf('a')],
        [POD, POD.url, uriOf('b')],
        [PEER, takenFrom(PEER.url, LOCAL.url), uriOf('a')],
      ]),
    );
    expect(body.changes.map(({ position }) => position)).toEqual([2, 3, 4]);
    expect(body).not.toHaveProperty('next');
    expect(body.changes[0]).toEqual({
      ...{ position: 2, at: test.node.now, type: 'Create', source: POD, graph: POD.url },
      uri: expect.any(String),
      hash: expect.stringMatching(/^[\w-]{22}$/),
      component: { uri: expect.any(String), label: 'x' },
    });
  });

  it('tells what came after a cursor: additions, updates, deletions', async () => {
    await say(POD, ['a', 'b']);
    const since = await cursor();
    await say(POD, ['b', 'c'], 'y');
    const delta = await page(`/feed?since=${since}`);
    expect(told(delta).sort()).toEqual(['Create c', 'Delete a', 'Update b']);
    const gone = delta.changes.find(({ type }) => type === 'Delete');
    expect(gone).toEqual({
      ...{ position: expect.any(Number), at: test.node.now, type: 'Delete', source: POD },
      ...{ graph: POD.url, uri: uriOf('a') },
    });
    expect(told(await page(`/feed?since=${await cursor()}`))).toEqual([]);
  });

  it('tells the rank of what a peer passes on: it stands behind what the peer says itself', async () => {
    const document = (graph: string, name: string) => {
      return { url: takenFrom(PEER.url, graph), components: [component(uriOf(name))], record: {} };
    };
    const documents = [document(LOCAL.url, 'a'), document('https://far.example/doc', 'b')];
    test = await createTestApp({}, {}, { order: { pods: [], peers: [PEER.url] } });
    await test.registry.commit({ source: PEER, documents, record: OK });
    const [own, passedOn] = (await page('/feed')).changes;
    expect(own).not.toHaveProperty('rank');
    expect(passedOn?.rank).toBeGreaterThan(0);
  });

  it('ignores parameters that it does not know, also repeated ones', async () => {
    await say(POD, ['a', 'b']);
    const known = await ask('/feed?limit=1');
    const more = await ask('/feed?limit=1&colour=red&colour=blue&since%20=x');
    expect([more.status, await more.text()]).toEqual([200, await known.text()]);
    const { epoch } = (await test.registry.state()).revision;
    const accept = 'application/trig';
    const range = await ask(`/feed/range?epoch=${epoch}&after=0&until=1000&limit=x&page=2`, { accept });
    expect(range.status).toBe(200);
  });

  it('has an entity tag for each representation, made of the cursor; the cursor is in a header of its own', async () => {
    await say(POD, ['a', 'b', 'c', 'd', 'e', 'f']);
    const at = await cursor();
    const forms = ['application/json', 'application/trig', 'application/n-quads'].flatMap((accept) =>
      ['gzip', 'identity'].map((coding) => ({ accept, 'accept-encoding': coding })),
    );
    const tags = new Set<string>();
    for (const headers of forms) {
      const answer = await ask('/feed', headers);
      const etag = answer.headers.get('etag') ?? '';
      const isCoded = answer.headers.has('content-encoding');
      expect([answer.headers.get('feed-cursor'), isCoded]).toEqual([
        at,
        headers['accept-encoding'] === 'gzip',
      ]);
      expect(etag).toMatch(/^"/);
      expect(etag).toContain(at);
      tags.add(etag);
      // To a reader that is in this state, in as few bytes as may be.
      const current = await ask('/feed', { ...headers, 'if-none-match': `"${at}"` });
      expect([current.status, Object.fromEntries(current.headers)]).toEqual([
        304,
        { etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'no-cache' },
      ]);
      const again = await ask('/feed', { ...headers, 'if-none-match': etag });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      // Of another media type, and of another coding.
      for (const other of forms.filter((form) => form !== headers))
        expect((await ask('/feed', { ...other, 'if-none-match': etag })).status).toBe(200);
    }
    expect(tags.size).toBe(forms.length);
    const elsewhere = { origin: 'https://app.example', 'if-none-match': `"${at}"` };
    expect((await ask('/feed', elsewhere)).headers.get('access-control-allow-origin')).toBe('*');
    await say(POD, ['a']);
    expect((await ask('/feed', elsewhere)).status).toBe(200);
  });

  it('has its cursor with the lists of addresses, too, which so say in what state they are told', async () => {
    for (const path of ['/peers', '/storage'])
      expect((await ask(path)).headers.get('feed-cursor')).toBe(await cursor());
  });

  it.each([
    ['epoch', (text: string) => text.replace(/^[^.]+/, 'other')],
    ['future', (text: string) => text.replace(/\.(\d+)\./, '.999.')],
    ['fork', (text: string) => text.replace(/\w{8}$/, '00000000')],
  ])('answers 410 with the reason %s, and where everything is', async (reason, change) => {
    await say(POD, ['a']);
    const answer = await ask(`/feed?since=${change(await cursor())}`);
    expect(answer.status).toBe(410);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toMatchObject({ status: 410, reason, snapshot: `${BASE}/feed` });
  });

  it('answers 410 expired once removals since the cursor are forgotten', async () => {
    await say(POD, ['a', 'b']);
    const since = await cursor();
    await say(POD, ['a']);
    test.node.now += 181 * 24 * 60 * 60 * 1000;
    await say(PEER, ['c']);
    expect(await (await ask(`/feed?since=${since}`)).json()).toMatchObject({ reason: 'expired' });
  });

  it.each([
    ...['since=x', 'since=abc.1.0123456', 'after=-1', 'after=1e3'],
    ...['limit=0', 'limit=5001', 'limit=5&limit=6'],
  ])('answers 400 to ?%s', async (parameters) => {
    const answer = await ask(`/feed?${parameters}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ title: 'Bad Request', detail: expect.any(String) });
  });

  it('is counted in the metrics', async () => {
    await say(POD, ['a', 'b']);
    const since = await cursor();
    await say(POD, ['b']);
    await ask('/feed?limit=1');
    for (const _ of [1, 2]) await ask(`/feed?since=${since}`);
    const text = await (await ask('/metrics')).text();
    const told = Object.fromEntries(
      [...text.matchAll(/^registry_feed_(\w+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
    const { position: head } = (await test.registry.state()).feed;
    const counted = { deltas_total: 2, snapshots_total: 1, repairs_total: 0 };
    expect(told).toEqual({ head, floor: 0, tombstones: 1, readers: 0, ...counted });
  });

  it('has shorter pages while many are unread, under tags of their own', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`);
    await say(POD, names, 'x'.repeat(2_000));
    const askFor = (path: string, held = '') => ask(path, held ? { 'if-none-match': held } : {});
    const unread: Response[] = [];
    for (let i = 0; i < 50; i++) unread.push(await askFor('/feed?limit=1000'));
    const told = unread.map(({ headers }) => ({
      etag: headers.get('etag') ?? '',
      length: headers.get('content-length'),
    }));
    const [longest, shortest] = [Number(told[0]?.length), Number(told.at(-1)?.length)];
    expect(longest).toBeGreaterThan(880_000);
    expect(longest).toBeLessThan(1_000_000);
    expect(shortest).toBeLessThan(100_000);
    const tags = new Set(told.map(({ etag }) => etag));
    expect(new Set(told.map(({ etag, length }) => `${etag} ${length}`)).size).toBe(tags.size);
    const { etag = '' } = told.at(-1) ?? {};
    // A proxy that compresses makes it a weak one.
    for (const held of [etag, `W/${etag}`]) expect((await askFor('/feed?limit=1000', held)).status).toBe(304);
    // Of a page that nobody has been sent, and of another address.
    expect((await askFor('/feed?limit=1000', etag.replace(/-.*/, '-other"'))).status).toBe(200);
    expect((await askFor('/feed?limit=2', etag)).status).toBe(200);
    for (const { body } of unread) await body?.cancel();
    expect((await askFor('/feed?limit=1000')).headers.get('content-length')).toBe(`${longest}`);
  });

  it('has no entity tag that names two bodies, whatever changes while a page is made', async () => {
    let countdown = 0;
    let commits = 0;
    const pace = () => async () => {
      if (countdown-- === 1) await change();
    };
    /** One is added, another one removed, and one edited that is in the middle of a page. */
    const change = () => {
      commits += 1;
      const names = Array.from({ length: 1_050 }, (_, i) => `n${i === 0 ? 9_000 + commits : i}`);
      const edited = names.slice(500, 500 + commits);
      const said = names.map((name) => component(uriOf(name), { label: edited.includes(name) ? 'y' : 'x' }));
      return test.say(POD, said);
    };
    test = await createTestApp({}, { pace });
    await change();
    const { epoch } = (await test.registry.state()).revision;
    const range = `/feed/range?epoch=${epoch}&after=0&until=`;
    const asked = [
      ...['/feed', '/feed?limit=100', '/feed/sources'].map((path) => [path, 'application/json'] as const),
      ...['/feed', '/feed?limit=100', `${range}1000`, `${range}10000`].map(
        (path) => [path, 'application/n-quads'] as const,
      ),
    ];
    const bodies = new Map<string, string>();
    for (const [path, accept] of asked) {
      for (const breaths of [0, 1, 60, 999, 1_001, 0]) {
        countdown = breaths;
        const answer = await ask(path, { accept });
        const named = `${path} ${accept} ${answer.headers.get('etag')}`;
        const body = await answer.text();
        expect([named, bodies.get(named) ?? body]).toEqual([named, body]);
        bodies.set(named, body);
        // The same state, when nothing changes meanwhile.
        countdown = 0;
        const again = await ask(path, { accept });
        const other = `${path} ${accept} ${again.headers.get('etag')}`;
        const usual = await again.text();
        expect([other, bodies.get(other) ?? usual]).toEqual([other, usual]);
        bodies.set(other, usual);
      }
    }
  });
});
