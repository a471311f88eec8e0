import { beforeEach, describe, expect, it } from 'vitest';
import { type Source, sourceKey } from '../../src/component/source.js';
import { LeaseLost } from '../../src/keep/faults.js';
import type { Lease } from '../../src/registry/difference.js';
import type { SharedPolls } from '../../src/registry/open-registry.js';
import { leased } from '../../src/sync/leased.js';
import type { Scheduler } from '../../src/sync/scheduler.js';
import { FakeReader } from '../support/fake-reader.js';
import { component } from '../support/registry.js';
import { MINUTE, SchedulerRig } from '../support/scheduler-rig.js';
import { waitFor } from '../support/wait-for.js';

const SECOND = 1000;
const STOPPED = { ok: false, error: 'The poll was stopped' };

describe('the scheduler', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
  });
  const down = (more = {}) => ({ failure: { message: 'down', ...more } });
  /** It has polled `a` once. */
  async function started(): Promise<void> {
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    await rig.settled();
  }

  describe('on its schedule', () => {
    it('polls what was never read at once, then as planned, also after a restart', async () => {
      await rig.scheduler.setSources([rig.a]);
      expect(rig.a.polls).toBe(0);
      await started();
      const planned = (await rig.record(rig.a))?.nextAttempt ?? 0;
      await rig.pass(planned - rig.clock.now() - 1);
      await rig.scheduler.stop();
      rig.scheduler = rig.create();
      await rig.scheduler.setSources([rig.a]);
      rig.scheduler.start();
      await rig.settled();
      expect(rig.a.polls).toBe(1);
      await rig.pass(1);
      expect(rig.a.polls).toBe(2);
    });

    it('writes one line a poll: of what is new, of what begins or ceases to fail, else at debug', async () => {
      await rig.scheduler.setSources([rig.a]);
      const news = { put: [{ url: 'https://a.example/d', components: [component('x')], record: {} }] };
      for (const result of [{}, {}, news, news, down(), down(), {}]) await rig.poll(result);
      expect(rig.lines.map((line) => line.replace(/ https.*/, ''))).toEqual([
        'info source polled',
        'debug source polled',
        'info source polled',
        'debug source polled',
        'warn source fails',
        'debug source still fails',
        'info source recovered',
      ]);
    });

    it('changes its list while it runs: new ones are polled, dropped ones are let go', async () => {
      rig.a.result = undefined;
      await rig.scheduler.setSources([rig.a]);
      rig.scheduler.start();
      await waitFor(() => rig.a.running === 1);
      await rig.scheduler.setSources([rig.b]);
      expect([rig.a.running, rig.a.aborted]).toEqual([0, 1]);
      await waitFor(() => rig.b.polls === 1);
      expect(await rig.registry.source(rig.a.source)).toBeUndefined();
      await rig.pass(60 * MINUTE);
      expect(rig.a.polls).toBe(1);
    });
  });

  describe('with many sources', () => {
    it('lets none of learned ones that never answer keep a configured one waiting', async () => {
      const silent = Array.from({ length: 64 }, (_, i) => new FakeReader(`https://silent${i}.example/`));
      for (const reader of silent) Object.assign(reader, { trust: 'learned', result: undefined });
      rig.scheduler = rig.create({ concurrency: 4 });
      await rig.scheduler.setSources([...silent, rig.a]);
      rig.scheduler.start();
      await waitFor(() => rig.reports.length === 1);
      expect(silent.filter(({ running }) => running > 0)).toHaveLength(2);
      expect(rig.reports[0]?.source).toEqual(rig.a.source);
    });
  });

  describe('asked by an operator', () => {
    it('makes one poll for all who ask while another is under way, which may have begun before the news', async () => {
      rig.a.result = undefined;
      await rig.scheduler.setSources([rig.a, rig.b]);
      rig.scheduler.start();
      await waitFor(() => rig.a.running === 1);
      const asked = [rig.poll(), rig.poll()];
      rig.timetable.tick();
      rig.a.answer({});
      await waitFor(() => rig.a.polls === 2 && rig.a.running === 1);
      rig.a.answer(down());
      for (const report of await Promise.all(asked)) expect(report.error).toBe('down');
      expect(rig.a.polls).toBe(2);
      expect(await rig.scheduler.pollNow('https://stranger.example/')).toEqual([]);
    });
  });

  describe('told by a hint', () => {
    it('polls at once, and later what came too soon', async () => {
      await started();
      await rig.pass(SECOND);
      for (let i = 0; i < 10_000; i++) rig.scheduler.hint(rig.a.source);
      await waitFor(() => rig.reports.length === 2);
      rig.scheduler.hint(rig.a.source);
      expect(rig.a.polls).toBe(2);
      await rig.pass(SECOND);
      await waitFor(() => rig.reports.length === 3);
    });

    it('does nothing for what is not read, or before the start', async () => {
      await rig.scheduler.setSources([rig.a]);
      rig.scheduler.hint(rig.a.source);
      rig.scheduler.hint(rig.b.source);
      expect([rig.a.polls, rig.b.polls]).toEqual([0, 0]);
    });
  });

  describe('when it stops', () => {
    it('aborts polls under way, stores nothing of them, and polls nothing any more, not even on demand', async () => {
      rig.a.result = undefined;
      await rig.scheduler.setSources([rig.a]);
      rig.scheduler.start();
      const asked = rig.scheduler.pollNow();
      await waitFor(() => rig.a.running === 1);
      await rig.scheduler.stop();
      expect(rig.a.running).toBe(0);
      expect(await asked).toMatchObject([STOPPED]);
      expect(await rig.registry.source(rig.a.source)).toBeUndefined();
      rig.scheduler.start();
      expect(await rig.scheduler.pollNow()).toMatchObject([STOPPED]);
      expect([rig.a.polls, rig.timetable.started, rig.reports]).toEqual([1, false, []]);
    });

    it('begins no poll that still waits for its turn, and lets go of a source that does', async () => {
      rig.scheduler = rig.create({ concurrency: 1 });
      rig.a.result = undefined;
      await rig.scheduler.setSources([rig.a, rig.b]);
      rig.scheduler.start();
      await waitFor(() => rig.underWay === 1);
      const asked = rig.scheduler.pollNow(rig.b.source.url);
      await rig.scheduler.setSources([rig.a]);
      expect(await rig.scheduler.pollNow(rig.b.source.url)).toEqual([]);
      await rig.scheduler.stop();
      expect(await asked).toMatchObject([STOPPED]);
      expect(rig.b.polls).toBe(0);
    });
  });

  describe('where other nodes poll the same sources', () => {
    let held: boolean;
    let other: Scheduler;
    /** Leases in memory: those of one process stand for those of several. */
    const shared: SharedPolls = {
      take: async (source): Promise<Lease | undefined> => {
        if (held) return undefined;
        held = true;
        const { epoch } = (await rig.registry.state()).revision;
        const name = sourceKey(source);
        const lease = await rig.registry.keep.lease(name);
        const release = async () => {
          held = false;
          await lease?.release();
        };
        return { epoch, name, fence: lease?.fence ?? '', release };
      },
      watch: () => () => undefined,
    };
    const node = () => {
      const log = { warn: (_: object, message: string) => rig.lines.push(message) };
      const take = async (source: Source) => {
        const lease = await shared.take(source);
        // With its turn, a node takes in what others have written.
        const stored = lease && (await rig.registry.source(source));
        if (stored) scheduler.polledElsewhere(source, stored.record);
        return lease;
      };
      const scheduler = rig.create({
        inTurn: leased({ shared: { take }, commit: (change) => rig.registry.commit(change), log }),
      });
      return scheduler;
    };
    beforeEach(async () => {
      held = false;
      rig.scheduler = node();
      other = node();
      await rig.scheduler.setSources([rig.a]);
      await other.setSources([rig.b]);
      // Both nodes read the same source, each with a reader of its own.
      Object.assign(rig.b.source, rig.a.source);
      await other.setSources([]);
      await other.setSources([rig.b]);
      return () => other.stop();
    });
    const idle = () => waitFor(() => rig.underWay === rig.a.running + rig.b.running);
    async function pass(ms: number): Promise<void> {
      await rig.pass(ms);
      await idle();
    }

    it('waits for another node when an operator asks, and then reads anew', async () => {
      rig.a.result = undefined;
      const first = rig.scheduler.pollNow();
      await waitFor(() => rig.a.running === 1);
      rig.clock.pass(SECOND);
      const asked = other.pollNow();
      await idle();
      rig.a.answer({});
      await first;
      await waitFor(() => {
        rig.clock.pass(SECOND);
        return rig.b.polls === 1;
      });
      expect(await asked).toMatchObject([{ ok: true }]);
    });

    it('asks no further for a source that is dropped while another node polls it', async () => {
      held = true;
      const asked = other.pollNow();
      await waitFor(() => rig.underWay === 0);
      await other.setSources([]);
      expect(await asked).toMatchObject([STOPPED]);
      expect(rig.b.polls).toBe(0);
    });

    it('tells why no lease can be had, backs off, and says so once', async () => {
      const log = { warn: () => undefined };
      const shared = { take: () => Promise.reject(new Error('the database is away')) };
      other = rig.create({ inTurn: leased({ shared, commit: rig.registry.commit, log }) });
      await other.setSources([rig.a]);
      for (let i = 0; i < 2; i++)
        expect(await other.pollNow()).toMatchObject([{ ok: false, error: 'the database is away' }]);
      const said = rig.lines.filter((line) => line.startsWith('warn'));
      expect(said).toEqual([`warn source cannot be polled ${rig.a.source.url}`]);
      other.start();
      await pass(SECOND);
      expect(rig.lines.filter((line) => line.includes('cannot be polled'))).toHaveLength(2);
    });

    it('stores nothing under a lease that was lost, and says so', async () => {
      const commit = rig.registry.commit.bind(rig.registry);
      const fenced: (object | undefined)[] = [];
      Object.assign(rig.registry, {
        commit: (change: Parameters<typeof commit>[0]) => {
          fenced.push(change.lease);
          return fenced.length === 1 ? Promise.reject(new LeaseLost('it')) : commit(change);
        },
      });
      const asked = rig.scheduler.pollNow();
      await waitFor(() => rig.lines.some((line) => line.startsWith('Another node has taken it')));
      await waitFor(() => {
        rig.clock.pass(SECOND);
        return rig.a.polls === 2;
      });
      expect(await asked).toMatchObject([{ ok: true }]);
      expect(fenced.every((lease) => lease !== undefined)).toBe(true);
      expect([fenced.length, rig.reports.length]).toEqual([2, 1]);
    });
  });
});
