import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { PollTimeout } from '../../../src/sync/sync-source.js';
import { FakeSource } from '../../support/fake-source.js';
import { component } from '../../support/registry.js';
import { MINUTE, SchedulerRig } from '../../support/scheduler-rig.js';
import { waitFor } from '../../support/wait-for.js';

describe('the scheduler', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
  });

  describe('among learned sources that never answer', () => {
    const silent = Array.from({ length: 64 }, (_, i) => new FakeSource(`https://silent${i}.example/`));
    beforeEach(async () => {
      for (const source of silent) Object.assign(source, { trust: 'learned', result: undefined, polls: 0 });
      rig.scheduler = rig.create(4);
    });

    it('polls a configured source at once, however many of them wait', async () => {
      await rig.scheduler.setSources([...silent, rig.a]);
      rig.scheduler.start();
      await waitFor(() => rig.a.polls === 1 && rig.reports.length === 1);
      expect(silent.filter(({ running }) => running > 0)).toHaveLength(2);
      rig.clock.pass(90_000);
      await rig.scheduler.pollNow(rig.a.source.url);
      expect(rig.a.polls).toBe(2);
    });

    it('ends each after two minutes and keeps what it found, so that all have their turn', async () => {
      const [first] = silent as [FakeSource];
      const documents = [{ url: 'https://silent0.example/d', components: [component('x')], record: {} }];
      first.poll = async (_, { signal }) => {
        await once(signal, 'abort');
        expect(signal.reason).toBeInstanceOf(PollTimeout);
        return { documents, failure: { message: 'cut short' } };
      };
      await rig.scheduler.setSources([first, rig.b]);
      Object.assign(rig.b, { trust: 'learned', result: undefined });
      rig.scheduler.start();
      await waitFor(() => rig.scheduler.underWay === 2);
      rig.clock.pass(2 * MINUTE);
      await waitFor(() => rig.reports.length === 2);
      expect(await rig.registry.size()).toBe(1);
      expect(await rig.record(first)).toMatchObject({ failures: 1, error: 'cut short' });
    });

    it('gives up one that does not mind its time being over', async () => {
      rig.a.poll = () => new Promise(() => undefined);
      rig.a.trust = 'learned';
      await rig.scheduler.setSources([rig.a]);
      rig.scheduler.start();
      await waitFor(() => rig.scheduler.underWay === 1);
      rig.clock.pass(2 * MINUTE + 30_000);
      await waitFor(() => rig.reports.length === 1);
      expect((await rig.record(rig.a))?.error).toContain('had not ended after 2 minutes');
      expect((await rig.record(rig.a))?.nextAttempt).toBeGreaterThan(rig.clock.now() + 2 * MINUTE);
    });
  });

  describe('of which more comes than is kept', () => {
    const names = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => component(`c${String(from + i).padStart(3, '0')}`));
    const document = (source: FakeSource, name: string, components: Metadata[]) => ({
      url: `${source.source.url}${name}`,
      components,
      record: { etag: '"1"' },
    });
    const stored = async (source: FakeSource) => [
      ...((await rig.registry.source(source.source))?.documents.values() ?? []),
    ];

    it('keeps the first of one source, counts the others, and still removes what is gone', async () => {
      rig.limits.maxComponents = 5;
      await rig.scheduler.setSources([rig.a, rig.b]);
      rig.a.result = {
        documents: [document(rig.a, 'one', names(0, 3)), document(rig.a, 'two', names(3, 4).reverse())],
      };
      rig.b.result = { documents: [document(rig.b, 'one', names(20, 5))] };
      expect(await rig.scheduler.pollNow()).toMatchObject([
        { ok: true, added: 5 },
        { ok: true, added: 5 },
      ]);
      expect(await stored(rig.a)).toMatchObject([{ components: 3 }, { components: 2, omitted: 2 }]);
      expect(await rig.registry.get('https://c.example/c004.js')).toBeDefined();
      rig.a.result = {
        documents: [{ url: `${rig.a.source.url}one`, record: null }, document(rig.a, 'two', names(3, 4))],
      };
      await rig.scheduler.pollNow(rig.a.source.url);
      expect(await stored(rig.a)).toMatchObject([{ components: 4 }]);
      expect((await stored(rig.a))[0]).not.toHaveProperty('omitted', expect.anything());
    });

    it('bounds all learned sources together, and gives back the room of those that are dropped', async () => {
      rig.limits.maxLearnedComponents = 6;
      for (const source of [rig.a, rig.b]) {
        source.trust = 'learned';
        source.result = { documents: [document(source, 'd', names(source === rig.a ? 0 : 10, 4))] };
      }
      await rig.scheduler.setSources([rig.a, rig.b]);
      await rig.scheduler.pollNow(rig.a.source.url);
      await rig.scheduler.pollNow(rig.b.source.url);
      expect([await stored(rig.a), await stored(rig.b)]).toMatchObject([
        [{ components: 4 }],
        [{ components: 2, omitted: 2 }],
      ]);
      await rig.scheduler.setSources([rig.b]);
      await rig.scheduler.pollNow(rig.b.source.url);
      expect(await stored(rig.b)).toMatchObject([{ components: 4 }]);
    });

    it('bounds bytes as well: few components of the largest size', async () => {
      rig.limits.maxComponents = 1000;
      const description = 'x'.repeat(16_384);
      const heavy = names(0, 500).map((one) => ({ ...one, description }));
      await rig.scheduler.setSources([rig.a]);
      rig.a.result = { documents: [document(rig.a, 'd', heavy)] };
      await rig.scheduler.pollNow();
      const [{ components = 0, omitted = 0 } = {}] = await stored(rig.a);
      expect(components + omitted).toBe(500);
      expect(components * description.length).toBeLessThanOrEqual(1_000_000);
      expect(components).toBeGreaterThan(50);
    });

    it('stores portions while a poll goes on, and counts them in its report', async () => {
      rig.a.poll = async (_, progress) => {
        await progress.store([document(rig.a, 'one', names(0, 2))]);
        expect(await rig.registry.size()).toBe(2);
        return { documents: [document(rig.a, 'two', names(2, 1))] };
      };
      await rig.scheduler.setSources([rig.a]);
      expect(await rig.scheduler.pollNow()).toMatchObject([{ ok: true, added: 3 }]);
    });
  });
});
