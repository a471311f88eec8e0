import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Source, sourceKey } from '../../../../src/component/source.js';
import { FollowedOrigin, ORIGIN } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

const POD_A: Source = { kind: 'pod', url: 'https://a.example/' };
const POD_B: Source = { kind: 'pod', url: 'https://b.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };

const named = (...names: string[]) => names.map((name) => component(name));
const many = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, i) => component(`${prefix}${String(i).padStart(5, '0')}`));

describe('a peer with a feed', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
  });
  const paths = () => pair.requests().map((request) => request.replace(/[?].*(?= )/, ''));

  it('is read with its lists of addresses, and taken as far as it is accepted', async () => {
    await pair.origin.registry.upsertLocal(named('own'));
    await pair.say(POD_A, 'https://a.example/1', named('a'));
    await pair.say(POD_B, 'https://b.example/1', many(50));
    await pair.say(
      PEER,
      `urn:registry:peer:${encodeURIComponent(PEER.url)}:urn%3Aregistry%3Alocal`,
      named('p'),
    );
    await pair.origin.registry.setNetwork({ peers: [{ url: PEER.url, hops: 0, via: [] }], storage: [] });
    pair.reader.pods = [POD_B.url];
    expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
    expect(await pair.taken()).toEqual(await pair.said([LOCAL, POD_A]));
    expect(paths()).toEqual(['/feed 200', '/peers 200', '/storage 200']);
    const stored = await pair.reader.stored();
    expect(stored?.record.introduced?.peers.map(({ url }) => url)).toEqual([PEER.url]);
    expect(stored?.record.refused).toMatchObject({ [sourceKey(POD_B)]: [POD_B.url] });
    expect([...(stored?.documents ?? [])].map(([url, { of }]) => [decodeURIComponent(url), of])).toEqual([
      [`urn:registry:peer:${ORIGIN}:urn:registry:local`, 'local urn:registry:local'],
      [`urn:registry:peer:${ORIGIN}:https://a.example/1`, 'pod https://a.example/'],
    ]);
  });

  it('is not believed what it says of pins: its promise of bytes is taken, what it saw is not', async () => {
    const promise = `sha384-${'p'.repeat(64)}`;
    const one = component('one', { version: '1.0.0', integrity: promise });
    await pair.origin.registry.upsertLocal([one]);
    expect(await pair.poll()).toMatchObject({ ok: true, added: 1 });
    const pin = {
      ...{ uri: one.uri, version: '1.0.0', source: LOCAL, document: LOCAL.url },
      ...{ last: 'sha384-x', since: 1, changedAt: 1, checked: 1 },
    };
    await pair.origin.registry.setPins([pin]);
    // The statement is told anew, says what it said, and leads to the same digests: nothing is read twice.
    expect(await pair.poll()).toMatchObject({ ok: true, changed: 0 });
    const [taken] = await pair.reader.registry.everything();
    expect(taken?.metadata).toEqual(one);
    expect(taken?.pin).toBeUndefined();
    expect(await pair.reader.registry.pins.counts()).toEqual({ all: 0, changed: 0 });
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.requests()).toHaveLength(1);
  });

  it('is followed by changes of capabilities alone, which its digests cover', async () => {
    const say = (action: string) =>
      pair.origin.registry.upsertLocal([component('a', { capability: [{ action }] })]);
    await say('odrl:display');
    await pair.poll();
    await say('odrl:modify');
    expect(await pair.poll()).toMatchObject({ ok: true, changed: 1 });
    const [taken] = await pair.reader.registry.everything();
    expect(taken?.metadata.capability).toEqual([{ action: 'odrl:modify' }]);
    expect(await pair.taken()).toEqual(await pair.said());
  });

  it('is asked once when nothing has changed, also after a restart', async () => {
    await pair.origin.registry.upsertLocal(named('a'));
    await pair.poll();
    pair.requests();
    const { revision } = await pair.reader.registry.state();
    expect(await pair.poll()).toMatchObject({ ok: true, added: 0 });
    await pair.reader.restart();
    await pair.poll();
    expect(paths()).toEqual(['/feed 304', '/feed 304']);
    expect((await pair.reader.registry.state()).revision).toEqual(revision);
    expect(await pair.following()).toEqual({ by: 'feed', since: pair.clock.now() });
  });

  it('has its lists read when they have moved, and again when they could not be', async () => {
    await pair.origin.registry.upsertLocal(named('a'));
    await pair.poll();
    pair.requests();
    await pair.origin.registry.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] });
    pair.override = ({ url }) => (url === '/storage' ? { status: 503 } : undefined);
    expect(await pair.poll()).toMatchObject({ ok: false, error: 'GET /storage: answers 503' });
    expect(paths()).toEqual(['/feed 200', '/peers 200', '/storage 503']);
    pair.override = () => undefined;
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(paths()).toEqual(['/feed 200', '/peers 200', '/storage 200']);
    expect((await pair.reader.stored())?.record.introduced?.storage).toHaveLength(1);
    await pair.poll();
    expect(paths()).toEqual(['/feed 304']);
  });

  it('has its lists read anew, and in full, when they are not what it says of them', async () => {
    await pair.origin.registry.upsertLocal(named('a'));
    await pair.origin.registry.setNetwork({ peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] });
    const introduced = async () => (await pair.reader.stored())?.record.introduced?.storage.length;
    pair.feed.lists = (lists, told) => (told === 'storage' ? { ...lists, storage: [] } : lists);
    await pair.poll();
    expect(await introduced()).toBe(0);
    pair.feed.lists = (lists) => lists;
    await pair.poll();
    expect(await introduced()).toBe(1);
    pair.requests();
    await pair.poll();
    expect(paths()).toEqual(['/feed 304']);
  });

  describe('of which this node reads a pod itself', () => {
    beforeEach(async () => {
      await pair.origin.registry.upsertLocal(named('own'));
      await pair.say(POD_A, 'https://a.example/1', named('a'));
      await pair.say(POD_A, 'https://a.example/sub/1', named('s', 't'));
      await pair.poll();
    });

    it('is not believed about it any more, and again when that ends', async () => {
      pair.reader.readsItself(POD_A.url);
      await pair.poll();
      expect(await pair.taken()).toEqual(await pair.said([LOCAL]));
      await pair.say(POD_A, 'https://a.example/1', named('b'));
      expect(await pair.poll()).toMatchObject({ ok: true, added: 0 });
      expect(await pair.taken()).toEqual(await pair.said([LOCAL]));
      await pair.reader.readsNoPods();
      pair.requests();
      expect(await pair.poll()).toMatchObject({ ok: true, added: 3 });
      expect(await pair.taken()).toEqual(await pair.said());
      expect(paths()).toEqual(['/feed 200', '/peers 200', '/storage 200']);
      await pair.poll();
      expect(paths()).toEqual(['/feed 304']);
    });

    it('is compared with no digest while only a part of a source is accepted', async () => {
      pair.reader.readsItself('https://a.example/sub/');
      await pair.poll();
      await pair.say(POD_A, 'https://a.example/1', named('b', 'c'));
      expect(await pair.poll()).toMatchObject({ ok: true, added: 2, removed: 1 });
      expect((await pair.taken()).filter((line) => line.startsWith('pod'))).toHaveLength(2);
      await pair.reader.readsNoPods();
      expect(await pair.poll()).toMatchObject({ ok: true, added: 2 });
      expect(await pair.taken()).toEqual(await pair.said());
    });
  });

  it('is followed while removals are held, and keeps what it says again', async () => {
    await pair.origin.registry.upsertLocal(many(100));
    await pair.say(POD_A, 'https://a.example/1', named('a'));
    await pair.poll();
    await pair.origin.registry.commitOwn({ remove: many(90).map(({ uri }) => uri) });
    expect(await pair.poll()).toMatchObject({ ok: true, removed: 0, held: { from: 101, to: 11 } });
    pair.requests();
    await pair.origin.registry.upsertLocal([{ ...component('n00095'), label: 'edited' }, ...named('new')]);
    await pair.say(POD_B, 'https://b.example/1', named('b'));
    expect(await pair.poll()).toMatchObject({ ok: true, added: 2, changed: 1, removed: 0 });
    expect(paths()).toEqual(['/feed 200']);
    await pair.origin.registry.upsertLocal(many(60));
    expect(await pair.poll()).toMatchObject({ ok: true, added: 0, removed: 30 });
    expect(await pair.taken()).toEqual(await pair.said());
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(paths()).toEqual(['/feed 304']);
  });
});
