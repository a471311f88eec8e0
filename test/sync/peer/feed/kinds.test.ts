import { beforeEach, describe, expect, it } from 'vitest';
import { takenFrom } from '../../../../src/component/provenance.js';
import type { Source } from '../../../../src/component/source.js';
import { FollowedOrigin, ORIGIN } from '../../../support/followed-origin.js';
import { component } from '../../../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://a.example/' };
const UPSTREAM: Source = { kind: 'peer', url: 'http://upstream.example' };
const DAY = 24 * 60 * 60 * 1000;
const named = (...names: string[]) => names.map((name) => component(name));

describe('of a peer, a reader that is no mirror', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal(named('own'));
    await pair.say(POD, 'https://a.example/1', named('a'));
    await relay('theirs');
  });
  const relay = (...names: string[]) =>
    pair.say(UPSTREAM, takenFrom(UPSTREAM.url, 'https://b.example/1'), named(...names));
  const urls = () =>
    pair.network.exchanges.splice(0).map(({ url, status }) => `${url.slice(ORIGIN.length)} ${status}`);
  const accepted = () => pair.said().then((all) => all.filter((line) => !line.startsWith('peer ')));

  it('is sent nothing of what the peer has from its own peers, and moves on with its cursor', async () => {
    await pair.poll();
    urls();
    await relay('theirs', 'more', 'and-more');
    expect(await pair.poll()).toMatchObject({ ok: true });
    const [{ bytes = 0 } = {}] = pair.network.exchanges;
    expect(urls()).toEqual([expect.stringMatching(/^\/feed[?]since=[^&]+&kinds=local,pod 200$/)]);
    expect(bytes).toBeLessThan(200);
    expect(await pair.taken()).toEqual(await accepted());
    await pair.poll();
    expect(urls()).toEqual([expect.stringMatching(/ 304$/)]);
    await pair.say(POD, 'https://a.example/1', named('b'));
    await pair.poll();
    expect(await pair.taken()).toEqual(await accepted());
    expect(await pair.following()).not.toHaveProperty('lastRepair', expect.anything());
  });

  it('asks about everything where the peer does not know the parameter, and again whether it does after a day', async () => {
    pair.feed.kinds = 'never';
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await accepted());
    urls();
    await pair.say(POD, 'https://a.example/1', named('b'));
    await relay('theirs', 'more');
    await pair.poll();
    expect(await pair.taken()).toEqual(await accepted());
    expect(urls()).toEqual([expect.stringMatching(/^\/feed[?]since=[^&]+ 200$/)]);
    pair.feed.kinds = 'known';
    pair.clock.pass(DAY);
    await pair.say(POD, 'https://a.example/1', named('c'));
    await pair.poll();
    expect(urls()).toEqual([expect.stringMatching(/&kinds=local,pod 200$/)]);
    expect(await pair.taken()).toEqual(await accepted());
    expect(await pair.following()).not.toHaveProperty('lastRepair', expect.anything());
  });

  it('skips what it does not accept of a peer that ignores the parameter', async () => {
    pair.feed.kinds = 'ignored';
    await pair.poll();
    await relay('theirs', 'more');
    await pair.say(POD, 'https://a.example/1', named('b'));
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await accepted());
    expect(await pair.following()).not.toHaveProperty('lastRepair', expect.anything());
  });

  it('follows a peer that becomes a mirror, and is none any more', async () => {
    await pair.poll();
    const inMirror = { kind: 'pod', url: 'https://c.example/' } as const;
    await pair.say(UPSTREAM, 'https://c.example/1', named('in-mirror'));
    pair.feed.kinds = 'ignored';
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.reader.registry.labels()).toEqual(['a', 'in-mirror', 'own']);
    pair.feed.kinds = 'known';
    await pair.say(inMirror, 'https://c.example/2', named('in-pod'));
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(await pair.reader.registry.labels()).toEqual(['a', 'in-pod', 'own']);
    pair.requests();
    await pair.poll();
    expect(pair.requests()).toEqual([expect.stringMatching(/^\/feed[?].* 304$/)]);
  });

  it('a mirror is sent everything', async () => {
    const mirror = await FollowedOrigin.open({ mode: 'mirror' });
    await mirror.say(UPSTREAM, 'https://b.example/1', named('theirs'));
    await mirror.poll();
    expect(await mirror.taken()).toEqual(await mirror.said());
    expect(mirror.network.exchanges.some(({ url }) => url.includes('kinds'))).toBe(false);
  });
});
