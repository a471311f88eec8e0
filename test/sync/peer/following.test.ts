import { beforeEach, describe, expect, it } from 'vitest';
import { takenFrom } from '../../../src/component/provenance.js';
import { LOCAL, type Source, sourceKey } from '../../../src/component/source.js';
import { type Cursor, cursorOf } from '../../../src/core/cursor.js';
import type { FakeAnswer } from '../../support/fake-server.js';
import { FollowedOrigin } from '../../support/peer/followed-origin.js';
import { component, named } from '../../support/registry.js';

const POD_A: Source = { kind: 'pod', url: 'https://a.example/' };
const POD_B: Source = { kind: 'pod', url: 'https://b.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };

const many = (count: number) => Array.from({ length: count }, (_, i) => component(`n${i}`));

describe('a peer with a feed', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
  });
  const introduced = async () => (await pair.stored())?.record.introduced?.storage.length;
  async function expectAll(): Promise<void> {
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
  }

  it('is read with its lists of addresses, and taken as far as it is accepted', async () => {
    await pair.origin.upsertLocal(named('own'));
    await pair.say(POD_A, 'https://a.example/1', named('a'));
    await pair.say(POD_B, 'https://b.example/1', many(50));
    await pair.say(PEER, takenFrom(PEER.url, LOCAL.url), named('p'));
    await pair.origin.setNetwork({ peers: [{ url: PEER.url, hops: 0, via: [] }], storage: [] });
    pair.pods = [POD_B.url];
    expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
    expect(await pair.taken()).toEqual(await pair.said([LOCAL, POD_A]));
    expect(pair.paths()).toEqual(['/feed 200', '/peers 200', '/storage 200']);
    const { record, documents } = (await pair.stored()) ?? {};
    expect(record?.introduced?.peers.map(({ url }) => url)).toEqual([PEER.url]);
    expect(record?.refused).toMatchObject({ [sourceKey(POD_B)]: [POD_B.url] });
    expect([...(documents ?? [])].map(([url, { of }]) => [url, of])).toEqual([
      [takenFrom(pair.url, LOCAL.url), sourceKey(LOCAL)],
      [takenFrom(pair.url, 'https://a.example/1'), sourceKey(POD_A)],
    ]);
  });

  it('is not believed what it says of pins: its promise of bytes is taken, what it saw is not', async () => {
    const one = component('one', { version: '1.0.0', integrity: `sha384-${'p'.repeat(64)}` });
    await pair.origin.upsertLocal([one]);
    expect(await pair.poll()).toMatchObject({ ok: true, added: 1 });
    const pin = { uri: one.uri, version: '1.0.0', source: LOCAL, document: LOCAL.url };
    await pair.origin.setPins([{ ...pin, last: 'sha384-x', since: 1, changedAt: 1, checked: 1 }]);
    // The statement is told anew, says what it said, and leads to the same digests: nothing is read twice.
    expect(await pair.poll()).toMatchObject({ ok: true, changed: 0 });
    const [taken] = await pair.registry.everything();
    expect(taken).toMatchObject({ metadata: one });
    expect(taken?.pin).toBeUndefined();
    expect(await pair.registry.pins.counts()).toEqual({ all: 0, changed: 0 });
  });

  it('has its lists read when they have moved, and again when they could not be', async () => {
    await pair.origin.upsertLocal(named('a'));
    await pair.poll();
    pair.requests();
    await pair.origin.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] });
    pair.override = ({ url }) => (url === '/storage' ? { status: 503 } : undefined);
    expect(await pair.poll()).toMatchObject({ ok: false, error: 'GET /storage: answers 503' });
    expect(pair.paths()).toEqual(['/feed 200', '/peers 200', '/storage 503']);
    pair.override = () => undefined;
    await expectAll();
    expect(pair.paths()).toEqual(['/feed 200', '/peers 200', '/storage 200']);
    expect(await introduced()).toBe(1);
    await pair.poll();
    expect(pair.paths()).toEqual(['/feed 304']);
  });

  const emptyAt = (told: string) => ({
    headers: { 'content-type': 'text/turtle', 'feed-cursor': told },
    body: '',
  });
  it.each<[string, (now: Cursor) => FakeAnswer]>([
    ['of an earlier state', ({ epoch, position }) => emptyAt(`${epoch}.${position - 1}.00000000`)],
    ['of another epoch', ({ position }) => emptyAt(`other.${position}.00000000`)],
    ['not there yet', () => ({ status: 404 })],
  ])('has its lists read again where those were %s', async (_, answer) => {
    await pair.origin.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] });
    const past = answer(cursorOf(await pair.origin.state()));
    pair.override = ({ url }) => (url === '/storage' ? past : undefined);
    await pair.poll();
    expect(await introduced()).toBe(0);
    pair.override = () => undefined;
    await pair.poll();
    expect(await introduced()).toBe(1);
    pair.requests();
    await pair.poll();
    expect(pair.paths()).toEqual(['/feed 304']);
  });

  it.each([2, 100, 1000])(
    'is read page by page, %d on each, and what changes while one is made or comes comes with the last one',
    async (pageSize) => {
      pair.feed.pageSize = pageSize;
      await pair.origin.upsertLocal(many(130));
      await pair.say(POD_A, 'https://a.example/1', named('a'));
      let [breaths, pages] = [0, 0];
      pair.feed.meanwhile = async () => {
        if (++breaths === 20)
          await pair.origin.commitOwn({ put: named('late'), remove: [component('n0').uri] });
      };
      pair.override = async ({ url }) => {
        if (url.startsWith('/feed') && ++pages === 2) await pair.origin.upsertLocal(named('later'));
        return undefined;
      };
      await expectAll();
      await pair.origin.upsertLocal(named('x', 'y', 'z'));
      await expectAll();
      expect(await pair.registry.labels()).toEqual(expect.arrayContaining(['late', 'later', 'z']));
    },
  );

  it('is asked once while removals are pending, and what it says again is kept', async () => {
    await pair.origin.upsertLocal(many(100));
    await pair.poll();
    await pair.origin.commitOwn({ remove: many(90).map(({ uri }) => uri) });
    expect(await pair.poll()).toMatchObject({ ok: true, removed: 0, held: { from: 100, to: 10 } });
    pair.requests();
    await pair.origin.upsertLocal([component('n95', { label: 'edited' }), ...named('new')]);
    expect(await pair.poll()).toMatchObject({ ok: true, added: 1, changed: 1, removed: 0 });
    expect(pair.paths()).toEqual(['/feed 200']);
    await pair.origin.upsertLocal(many(60));
    expect(await pair.poll()).toMatchObject({ ok: true, added: 0, removed: 30 });
    await expectAll();
  });

  it('put back from a backup, since when its lists alone were others, has them read anew', async () => {
    await pair.origin.upsertLocal(named('a'));
    const putBack = pair.backUp();
    await pair.origin.setNetwork({ peers: [{ url: PEER.url, hops: 0, via: [] }], storage: [] });
    await expectAll();
    await putBack();
    pair.clock.pass(60_000);
    await pair.origin.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] });
    await expectAll();
    expect((await pair.stored())?.record.introduced?.storage).toMatchObject([{ url: POD_A.url }]);
  });

  it('two of whose pods speak in one document is taken with both, and keeps them apart', async () => {
    const nested: Source = { kind: 'pod', url: 'https://a.example/in/' };
    const shared = 'https://a.example/in/1';
    await pair.say(POD_A, shared, named('a', 'both'));
    await pair.say(nested, shared, named('both', 'n'));
    await expectAll();
    await pair.say(POD_A, shared, named('a'));
    await expectAll();
    await pair.origin.forget(POD_A);
    await pair.say(nested, shared, named('n'));
    await expectAll();
    await pair.say(POD_A, shared, named('again'));
    await expectAll();
  });
});
