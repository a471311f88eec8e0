import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { DIGEST_VERSION } from '../../../src/component/statement-digest.js';
import { isHttpUrl } from '../../../src/config/url.js';
import { allowance, amountOfAll } from '../../../src/core/limits.js';
import { TaskTimeout } from '../../../src/lib/faults.js';
import type { FakeAnswer } from '../../support/fake-server.js';
import { FollowedOrigin } from '../../support/peer/followed-origin.js';
import { component, named } from '../../support/registry.js';

const DAY = 24 * 3_600_000;

const EMPTY = { network: 0, digestVersion: DIGEST_VERSION, changes: [], sources: [] };
const huge = (count: number) =>
  Array.from({ length: count }, (_, i) => component(`h${i}`, { description: 'x'.repeat(16_000) }));

describe('a peer', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.upsertLocal(named('a', 'b'));
  });

  /** The feed answers this, and the listing is there, as nodes without a feed give it. */
  const withFeed = (answer: FakeAnswer | undefined) => {
    pair.override = async ({ url }) => {
      if (url.startsWith('/feed')) return answer;
      if (!url.startsWith('/component')) return undefined;
      const { revision } = await pair.origin.state();
      return { body: await pair.origin.list(), etag: `"${revision.number}"` };
    };
  };
  const following = async () => (await pair.stored())?.record.following;
  async function expectFollowed(): Promise<void> {
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await following()).toMatchObject({ by: 'feed' });
    expect(await pair.taken()).toEqual(await pair.said());
  }

  const html = { body: '<p>hello', headers: { 'content-type': 'text/html' } };
  const [NONE, TROUBLE] = ['it has none', 'it is in trouble'] as const;
  it.each<[what: string, atFirst: string, later: string, answer: FakeAnswer]>([
    ['answers 404', NONE, NONE, { status: 404 }],
    ['answers 410', NONE, NONE, { status: 410 }],
    ['answers 500', NONE, TROUBLE, { status: 500 }],
    ['answers with a page', NONE, NONE, html],
    ['answers with other JSON', NONE, NONE, { body: [] }],
    ['answers with no cursor', NONE, NONE, { body: { ...EMPTY, cursor: 'latest' } }],
    ['answers with broken JSON', NONE, NONE, { ...html, headers: { 'content-type': 'application/json' } }],
    ['has other digests', NONE, NONE, { body: { ...EMPTY, cursor: 'e.1.00000000', digestVersion: 3 } }],
    ['says nothing', TROUBLE, TROUBLE, { drop: true }],
    ['answers 503', TROUBLE, TROUBLE, { status: 503 }],
    ['answers 429', TROUBLE, TROUBLE, { status: 429 }],
  ])('whose feed %s: %s, and where it was followed before, %s', async (_, atFirst, later, answer) => {
    for (const meant of [atFirst, later]) {
      const before = await following();
      withFeed(answer);
      await pair.origin.upsertLocal(named(`${before?.by}`));
      expect(await pair.poll()).toMatchObject({ ok: meant === NONE });
      const listed = { by: 'listing', why: expect.stringContaining('GET /feed: '), looked: pair.clock.now() };
      expect(await following()).toEqual(meant === NONE ? expect.objectContaining(listed) : before);
      if (meant === NONE) expect(await pair.registry.labels()).toEqual(await pair.origin.labels());
      withFeed(undefined);
      if (meant === NONE) pair.clock.pass(DAY);
      pair.requests();
      await expectFollowed();
      // It keeps its place.
      if (meant === TROUBLE && before) expect(pair.requests()).toEqual([expect.stringContaining('since=')]);
    }
  });

  it('without a feed is asked for one once a day', async () => {
    withFeed({ status: 404 });
    const began = pair.clock.now();
    expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
    pair.requests();
    pair.clock.pass(DAY - 1);
    await pair.origin.upsertLocal(named('c'));
    await pair.poll();
    expect(pair.paths()).toEqual(['/peers 304', '/storage 304', '/component 200']);
    pair.clock.pass(1);
    await pair.poll();
    expect(pair.paths()[0]).toContain('/feed');
    expect(await following()).toMatchObject({ since: began, looked: pair.clock.now() });
  });

  it.each([401, 404, 410, 500])('whose feed breaks off with %i has one all the same', async (status) => {
    withFeed(undefined);
    pair.feed.pageSize = 1;
    const answers = pair.override;
    pair.override = (request) => (request.url.includes('after=') ? { status } : answers(request));
    expect(await pair.poll()).toMatchObject({ ok: false, error: `GET /feed: answers ${status}` });
    expect(await following()).toBeUndefined();
    pair.override = answers;
    await expectFollowed();
    await pair.origin.upsertLocal(named('c', 'd'));
    pair.override = (request) => (request.url.includes('after=') ? { status } : answers(request));
    await pair.poll();
    expect(await following()).toMatchObject({ by: 'feed' });
    pair.override = answers;
    await expectFollowed();
  });

  it('that lists more addresses than are read is known not to be read whole, and one that does no more', async () => {
    const cut = async () => (await pair.stored())?.record.introduced?.cut;
    for (const [length, expected] of [
      [10_001, ['storage']],
      [10_000, []],
    ] as const) {
      const body = Array.from({ length }, (_, i) => `https://p${i}.example/`);
      pair.override = ({ url }) => (url === '/storage' ? { body } : undefined);
      await pair.origin.setNetwork({
        peers: [],
        storage: [{ url: body[length - 1] ?? '', hops: 0, via: [] }],
      });
      await pair.poll();
      expect((await pair.stored())?.record.introduced?.storage).toHaveLength(10_000);
      expect(await cut()).toEqual(expected);
    }
  });

  it('that lists what is no address is read in all else, and that is refused by name', async () => {
    const secret = 'https://me:secret@x.example/';
    const body = [
      'https://a.example/',
      'ftp://b.example/',
      `ftp://b.example/${'x'.repeat(2000)}`,
      `https://c.example/${'x'.repeat(3000)}`,
      secret,
    ];
    pair.override = ({ url }) => (url === '/storage' ? { body } : undefined);
    expect(await pair.poll()).toMatchObject({ ok: true });
    const listed = (await pair.stored())?.record.introduced?.storage.map(({ url }) => url) ?? [];
    expect(listed.slice(0, 3)).toEqual(body.slice(0, 3));
    expect(listed.slice(3).map((url) => url.slice(-20))).toEqual([
      expect.stringMatching(/x …$/),
      expect.any(String),
    ]);
    expect(listed.filter(isHttpUrl)).toEqual(['https://a.example/']);
    expect(listed.join()).not.toContain('secret');
  });

  it('for whose pages this node had no time is asked again next time', async () => {
    const { pool } = pair;
    withFeed(undefined);
    pair.pool = {
      run: async (task, ...how) => {
        if (task.name === 'feedTask') throw new TaskTimeout('more than 5 s of processor time');
        return pool.run(task, ...how);
      },
    };
    expect(await pair.poll()).toMatchObject({ ok: false });
    pair.pool = pool;
    await expectFollowed();
  });

  it.each<[what: string, maxComponents: number, more: readonly Metadata[]]>([
    ['in number', 5, named('c', 'd', 'e', 'f')],
    ['in bytes', 100, huge(80)],
  ])(
    'that says more than this node keeps, %s, is taken in part, and whole once there is room',
    async (_, maxComponents, more) => {
      pair.maxComponents = maxComponents;
      await pair.origin.upsertLocal(more);
      expect(await pair.poll()).toMatchObject({ ok: true });
      const kept = await pair.registry.labels();
      expect(kept.length).toBeGreaterThanOrEqual(5);
      const omitted = async () => [...((await pair.stored())?.documents.values() ?? [])][0]?.omitted ?? 0;
      expect(await omitted()).toBe(more.length + 2 - kept.length);
      pair.requests();
      await pair.poll();
      expect(pair.paths()).toEqual(['/feed 304']);
      // Whether a change is one of what is left out, it does not tell.
      await pair.origin.commitOwn({ remove: [more.at(-1)?.uri ?? ''] });
      expect(await pair.poll()).toMatchObject({ ok: true, removed: 0 });
      expect(await omitted()).toBe(more.length + 1 - kept.length);
      pair.maxComponents = 5000;
      await expectFollowed();
    },
  );

  it('of which whole documents have no room is followed all the same, and read whole when they change', async () => {
    const pod: Source = { kind: 'pod', url: 'https://pod.example/' };
    const say = (name: string, ...said: Metadata[]) => pair.say(pod, pod.url + name, said);
    const unread = async () => (await pair.stored())?.record.unread;
    pair.maxComponents = 100;
    await pair.poll();
    const filled = async () => amountOfAll((await pair.stored())?.documents ?? new Map()).bytes;
    const fill = (length: number, label = 'filler') => {
      const last = { ...component('filler', { description: 'x'.repeat(length) }), label };
      return say('filler', ...huge(61), last);
    };
    await fill(0);
    await pair.poll();
    // Less is left than a document takes.
    const length = allowance(100).bytes - (await filled()) - 100;
    await fill(length);
    for (const name of ['x', 'y']) await say(name, component(name));
    expect([await pair.poll(), await unread()]).toMatchObject([{ ok: true, changed: 1, added: 0 }, 2]);
    expect([await pair.poll(), await unread()]).toMatchObject([{ ok: true }, 2]);
    await fill(length, 'FILLER');
    expect([await pair.poll(), await unread()]).toMatchObject([{ ok: true, changed: 1 }, 2]);
    pair.requests();
    await say('x', component('x'), component('x2'));
    expect([await pair.poll(), await unread()]).toMatchObject([{ ok: true }, 2]);
    expect(pair.paths().at(0)).toBe('/feed 200');
    await pair.poll();
    expect(pair.paths().at(-1)).toBe('/feed 304');
    pair.maxComponents = 5000;
    await expectFollowed();
    expect(await unread()).toBeUndefined();
  });

  it('whose pages are too large is failing, and says what to do', async () => {
    pair.override = ({ url }) =>
      /^\/(feed|component)/.test(url) ? { body: 'x'.repeat(1_000_000), endless: true } : undefined;
    expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining('sync.maxBytes') });
  });

  it('is read in full again in another mode', async () => {
    await pair.poll();
    pair.restart('mirror');
    await expectFollowed();
    expect([...((await pair.stored())?.documents.keys() ?? [])]).toEqual([LOCAL.url]);
  });

  it('that turns out to be the node itself is not read', async () => {
    pair.override = ({ url }) =>
      url.startsWith('/feed') ? { headers: { 'feed-cursor': 'itself.1.00000000' }, body: {} } : undefined;
    const error = expect.stringContaining('the node itself');
    expect(await pair.poll()).toMatchObject({ ok: false, error });
    expect(await pair.registry.labels()).toEqual([]);
    expect(pair.paths()).toEqual(['/feed 200']);
  });
});
