import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../../src/component/metadata.js';
import { LOCAL, type Source } from '../../../../src/component/source.js';
import { TaskTimeout } from '../../../../src/lib/faults.js';
import type { FakeAnswer } from '../../../support/fake-server.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component, VOCABULARY } from '../../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://a.example/' };
const HOUR = 3_600_000;

const named = (...names: string[]) => names.map((name) => component(name));
const huge = (count: number) => many(count, 'h').map((one) => ({ ...one, description: 'x'.repeat(16_000) }));
const many = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, i) => component(`${prefix}${String(i).padStart(4, '0')}`));

describe('a peer', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal(named('a', 'b'));
  });

  /** Answers the listing, as nodes without a feed do as well. */
  const listing = async (url: string): Promise<FakeAnswer | undefined> => {
    if (!url.startsWith('/component')) return undefined;
    const { revision } = await pair.origin.registry.state();
    return { body: await pair.origin.registry.list(), etag: `"${revision.number}"` };
  };
  /** The feed answers this, and the listing is there. */
  const withFeed = (answer: FakeAnswer | undefined) => {
    pair.override = async ({ url }) => (url.startsWith('/feed') ? answer : listing(url));
  };
  const paths = () => pair.requests().map((request) => request.replace(/[?].*(?= )/, ''));
  const labels = () => pair.reader.registry.labels();

  describe('without a feed', () => {
    const answers: [what: string, answer: FakeAnswer][] = [
      ...[401, 404, 410, 500].map((status): [string, FakeAnswer] => [`answers ${status}`, { status }]),
      ['answers with a page', { body: '<p>hello', headers: { 'content-type': 'text/html' } }],
      ['answers with other JSON', { body: [] }],
      [
        'answers with something that is called JSON',
        { body: '{', headers: { 'content-type': 'application/json' } },
      ],
    ];
    it('is none whose pages this node had no time to read', async () => {
      const { pool } = pair.reader;
      withFeed(undefined);
      pair.reader.pool = {
        run: (task, ...how) => {
          if (task.name === 'feedTask') throw new TaskTimeout('more than 5 s of processor time');
          return pool.run(task, ...how);
        },
      };
      expect(await pair.poll()).toMatchObject({ ok: false });
      expect(await pair.following()).toBeUndefined();
      pair.reader.pool = pool;
      expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
      expect(await pair.following()).toMatchObject({ by: 'feed' });
    });

    it.each(answers)('that %s is read by its listing, and asked again after a day', async (_, answer) => {
      withFeed(answer);
      const began = pair.clock.now();
      expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
      expect(await pair.following()).toMatchObject({ by: 'listing', since: began, looked: began });
      expect(paths()).toContain(`/feed ${answer.status ?? 200}`);
      pair.clock.pass(24 * HOUR - 1);
      await pair.origin.registry.upsertLocal(named('c'));
      await pair.poll();
      expect(paths()).toEqual(['/peers 304', '/storage 304', '/component 200']);
      pair.clock.pass(1);
      await pair.poll();
      expect(paths()[0]).toContain('/feed');
      expect(await pair.following()).toMatchObject({ since: began, looked: pair.clock.now() });
      withFeed(undefined);
      pair.clock.pass(24 * HOUR);
      await pair.poll();
      expect(await pair.following()).toEqual({ by: 'feed', since: pair.clock.now() });
      expect(await pair.taken()).toEqual(await pair.said());
    });

    it.each([
      ['says nothing', { drop: true }],
      ['answers 503', { status: 503 }],
      ['answers 429', { status: 429 }],
    ] satisfies [string, FakeAnswer][])('that %s for now is asked again next time', async (_, answer) => {
      withFeed(answer);
      expect(await pair.poll()).toMatchObject({ ok: false });
      expect(await pair.following()).toBeUndefined();
      withFeed(undefined);
      expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
      expect(await pair.following()).toMatchObject({ by: 'feed' });
    });
  });

  it('that has lost its feed is read by its listing, if that can be read', async () => {
    await pair.poll();
    withFeed({ status: 404 });
    await pair.origin.registry.upsertLocal(named('c'));
    expect(await pair.poll()).toMatchObject({ ok: true, added: 1 });
    expect(await pair.following()).toMatchObject({ by: 'listing', why: 'GET /feed: answers 404' });
    expect(await labels()).toEqual(['a', 'b', 'c']);
  });

  describe('that says more than this node keeps', () => {
    it.each<[what: string, all: readonly Metadata[]]>([
      ['in number', many(6)],
      ['in bytes', many(3).map((one) => ({ ...one, description: 'x'.repeat(16_000) }))],
    ])('%s is read by its listing, and followed once there is room', async (_, all) => {
      const isMany = all.length === 6;
      pair = await FollowedOrigin.open({ maxComponents: isMany ? 5 : 100 });
      withFeed(undefined);
      await pair.origin.registry.upsertLocal(isMany ? all : [...all, ...huge(80)]);
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(await pair.following()).toMatchObject({ by: 'listing', why: expect.stringContaining('keeps') });
      expect((await labels()).length).toBeGreaterThanOrEqual(5);
      pair.requests();
      await pair.poll();
      expect(paths()).not.toContain('/feed 200');
      pair.reader.options = { maxComponents: 5000 };
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(await pair.taken()).toHaveLength((await pair.said()).length);
      pair.clock.pass(24 * HOUR);
      expect(await pair.poll()).toMatchObject({ ok: true });
      expect(await pair.following()).toMatchObject({ by: 'feed' });
      expect(await pair.taken()).toEqual(await pair.said());
    });
  });

  it('that names more documents than this node takes is failing, and kept as it was', async () => {
    pair = await FollowedOrigin.open({ maxDocuments: 3 });
    for (const i of [1, 2, 3]) await pair.say(POD, `https://a.example/${i}`, named(`d${i}`));
    await pair.poll();
    await pair.say(POD, 'https://a.example/4', named('d4'));
    const expected = { ok: false, error: expect.stringContaining('sync.maxDocuments (3)') };
    expect(await pair.poll()).toMatchObject(expected);
    expect(await labels()).toEqual(['d1', 'd2', 'd3']);
    await pair.say(POD, 'https://a.example/1', []);
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
  });

  it('whose pages are too large even so is failing, and says what to do', async () => {
    pair.override = ({ url }) =>
      url.startsWith('/feed') || url.startsWith('/component') ? { tooLarge: true } : undefined;
    expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining('sync.maxBytes') });
  });

  it('is read in full again in another mode', async () => {
    await pair.poll();
    pair.reader.options = { mode: 'mirror' };
    await pair.reader.restart();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect([...((await pair.reader.stored())?.documents.keys() ?? [])]).toEqual([LOCAL.url]);
    expect(await pair.taken()).toEqual(await pair.said());
  });

  it('that turns out to be the node itself is not read', async () => {
    await pair.poll();
    await pair.origin.registry.setNetwork({
      peers: [{ url: 'https://p.example', hops: 0, via: [] }],
      storage: [],
    });
    const turtle = `<http://follower.example/> a <${VOCABULARY.network.node}>.`;
    pair.override = ({ url }) =>
      url === '/peers' ? { headers: { 'content-type': 'text/turtle' }, body: turtle } : undefined;
    expect(await pair.poll()).toMatchObject({
      ok: false,
      removed: 2,
      error: expect.stringContaining('the node itself'),
    });
    expect(await labels()).toEqual([]);
  });
});
