import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseLost } from '../../src/keep/faults.js';
import type { Lease } from '../../src/keep/keep.js';
import { type InTurn, leased } from '../../src/sync/leased.js';
import { FakeReader } from '../support/fake-reader.js';
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
    /** Another node polls the source for as long as this is so. */
    let isElsewhere = true;
    const warn = (_: object, message: string) => rig.lines.push(message);
    async function open(inTurn: InTurn): Promise<void> {
      rig.scheduler = rig.create({ inTurn });
      await rig.scheduler.setSources([rig.a]);
    }
    async function asked() {
      isElsewhere = true;
      let tries = 0;
      await open(async (_, poll) => {
        tries += 1;
        return isElsewhere ? undefined : poll(rig.registry.commit);
      });
      const reports = rig.scheduler.pollNow();
      await waitFor(() => tries === 1);
      return { reports };
    }

    it('waits for another node when an operator asks, and then reads anew', async () => {
      const { reports } = await asked();
      isElsewhere = false;
      await waitFor(() => {
        rig.clock.pass(SECOND);
        return rig.a.polls === 1;
      });
      expect(await reports).toMatchObject([{ ok: true }]);
    });

    it('asks no further for a source that is dropped while another node polls it', async () => {
      const { reports } = await asked();
      await rig.scheduler.setSources([]);
      expect(await reports).toMatchObject([STOPPED]);
      expect(rig.a.polls).toBe(0);
    });

    it('does not read what another node has read while this one waited for its turn', async () => {
      await open((source, poll) => {
        rig.scheduler.polledElsewhere(source, {
          failures: 0,
          lastAttempt: rig.clock.now(),
          nextAttempt: 1e15,
        });
        return poll(rig.registry.commit);
      });
      rig.scheduler.start();
      await rig.settled();
      expect(rig.a.polls).toBe(0);
    });

    it('tells why no lease can be had, backs off, and says so once', async () => {
      const take = () => Promise.reject(new Error('the database is away'));
      await open(leased({ shared: { take }, commit: rig.registry.commit, log: { warn } }));
      for (let i = 0; i < 2; i++)
        expect(await rig.scheduler.pollNow()).toMatchObject([{ ok: false, error: 'the database is away' }]);
      const said = rig.lines.filter((line) => line.startsWith('warn'));
      expect(said).toEqual([`warn source cannot be polled ${rig.a.source.url}`]);
      rig.scheduler.start();
      await rig.pass(SECOND);
      expect(rig.lines.filter((line) => line.includes('cannot be polled'))).toHaveLength(2);
    });

    it('stores nothing under a lease that was lost, and says so', async () => {
      const lease: Lease = { name: 'a', fence: '1', release: async () => undefined };
      const fenced: unknown[] = [];
      const commit: typeof rig.registry.commit = ({ lease, ...change }) => {
        fenced.push(lease?.fence);
        return fenced.length === 1 ? Promise.reject(new LeaseLost('it')) : rig.registry.commit(change);
      };
      await open(leased({ shared: { take: async () => lease }, commit, log: { warn } }));
      const reports = rig.scheduler.pollNow();
      await waitFor(() => rig.lines.some((line) => line.includes('another node has taken it')));
      await waitFor(() => {
        rig.clock.pass(SECOND);
        return rig.a.polls === 2;
      });
      expect(await reports).toMatchObject([{ ok: true }]);
      expect([fenced, rig.reports.length]).toEqual([['1', '1'], 1]);
    });
  });
});
