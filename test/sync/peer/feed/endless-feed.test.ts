import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../../src/component/source.js';
import type { WireChange } from '../../../support/peer/feed-server.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { BYSTANDER, created, LyingOrigin, named } from './lying-origin.js';

describe('a peer whose feed does not end, or that forgets what it has said', () => {
  let lying: LyingOrigin;
  let pair: FollowedOrigin;
  beforeEach(async () => {
    lying = await LyingOrigin.open();
    pair = lying.pair;
  });

  describe('without an end', () => {
    /** Pages that go on for ever, each with so many changes. */
    const endless = (count: number, change: (position: number) => Partial<WireChange>) => {
      let position = 0;
      pair.override = ({ url }) => {
        if (!url.startsWith('/feed?since=')) return undefined;
        const since = /since=(\w+)\.(\d+)\.(\w+)/.exec(url) ?? [];
        position = Math.max(position, Number(since[2]));
        const all = Array.from({ length: count }, () => {
          position += 1;
          return {
            position,
            at: 0,
            source: LOCAL,
            graph: LOCAL.url,
            ...change(position),
          };
        });
        const cursor = `${since[1]}.${position}.${since[3]}`;
        const link = `<http://x.example/feed?since=${since[0]?.slice(6)}&after=${position}>; rel="next"`;
        return {
          headers: { link },
          body: { cursor, network: 0, digestVersion: 2, changes: all, sources: [] },
        };
      };
    };

    it('of new components: no more are kept than this node keeps', async () => {
      pair = await FollowedOrigin.open({ maxComponents: 500 });
      await pair.origin.registry.upsertLocal(named('a'));
      await pair.poll();
      endless(100, (position) => created(`e${position}`));
      // What does not fit is read by the listing, which this peer has not.
      const error = expect.stringContaining('/component');
      expect(await pair.poll()).toMatchObject({ ok: false, error });
      expect(pair.requests().length).toBeLessThan(20);
      expect(await pair.taken()).toEqual(await pair.said());
      await lying.expectTruthOf(pair);
    }, 30_000);

    it('of pages that are almost empty: it is not read to its end', async () => {
      endless(1, () => created('e'));
      expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining('almost empty') });
      expect(pair.requests().length).toBeLessThan(120);
      await lying.expectTruth();
    });

    it('of the same component, or of what does not concern this node', async () => {
      pair = await FollowedOrigin.open({ maxComponents: 10 });
      await pair.origin.registry.upsertLocal(named('a'));
      await pair.poll();
      const same = created('e');
      for (const change of [same, { ...same, graph: 'urn:registry:peer:x:y', source: BYSTANDER }]) {
        endless(2000, () => change);
        const error = expect.stringContaining('more than 20100 changes');
        expect(await pair.poll()).toMatchObject({ ok: false, error });
        expect(pair.requests().length).toBeLessThan(80);
        await lying.expectTruthOf(pair);
      }
      expect(await pair.taken()).toEqual(await pair.said());
    }, 30_000);
  });

  it('does not even know the states of its pages: it is failing, and nothing is stored', async () => {
    pair.feed.pageSize = 2;
    pair.override = ({ url }) =>
      url.startsWith('/feed?since') ? { status: 410, body: { reason: 'fork' } } : undefined;
    for (let round = 0; round < 5; round++) {
      expect(await pair.poll()).toMatchObject({ ok: false, error: expect.stringContaining('410') });
      expect(await pair.taken()).toEqual(lying.before);
    }
    await lying.expectTruth();
  });
});
