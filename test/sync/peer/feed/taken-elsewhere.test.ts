import { beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { sourceKey } from '../../../../src/component/source.js';
import { FollowedOrigin, ORIGIN } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

const OUTER: Source = { kind: 'pod', url: 'https://ann.example/' };
const INNER: Source = { kind: 'pod', url: 'https://ann.example/inner/' };

describe('a pod of a peer that is taken from other peers', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal([component('own')]);
    await pair.say(OUTER, `${OUTER.url}1`, [component('outer')]);
    await pair.say(INNER, `${INNER.url}1`, [component('inner')]);
  });
  const urls = () => pair.network.exchanges.splice(0).map(({ url }) => url.slice(ORIGIN.length));
  const withoutOuter = async () =>
    (await pair.said()).filter((line) => !line.startsWith('pod https://ann.example/ '));

  it('is not read, but a pod within it is', async () => {
    pair.reader.elsewhere = [sourceKey(OUTER)];
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(urls().filter((url) => url.includes(`url=${encodeURIComponent(OUTER.url)}&`))).toEqual([]);
    expect(await pair.taken()).toEqual(await withoutOuter());
    await pair.say(OUTER, `${OUTER.url}1`, [component('changed')]);
    await pair.poll();
    expect(await pair.taken()).toEqual(await withoutOuter());
  });

  it('goes when others are found that win, and comes back when they go', async () => {
    await pair.poll();
    expect(await pair.taken()).toEqual(await pair.said());
    pair.reader.elsewhere = [sourceKey(OUTER)];
    await pair.poll();
    expect(await pair.taken()).toEqual(await withoutOuter());
    pair.reader.elsewhere = [];
    await pair.reader.forgets();
    await pair.poll();
    expect(await pair.taken()).toEqual(await pair.said());
  });
});
