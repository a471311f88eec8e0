import { beforeEach, describe, expect, it } from 'vitest';
import { FakeSource } from '../../support/fake-source.js';
import { component } from '../../support/registry.js';
import { MINUTE, SchedulerRig } from '../../support/scheduler-rig.js';
import { waitFor } from '../../support/wait-for.js';

describe('the scheduler', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
  });

  it('stops: aborts polls under way, stores nothing of them, and does not poll again', async () => {
    rig.a.result = undefined;
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    const asked = rig.scheduler.pollNow();
    await waitFor(() => rig.a.running === 1);
    await rig.scheduler.stop();
    expect(rig.a.running).toBe(0);
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
    expect(await rig.registry.source(rig.a.source)).toBeUndefined();
    expect(rig.timetable.started).toBe(false);
    expect(rig.reports).toEqual([]);
  });

  it('polls nothing any more once it has stopped, not even on demand', async () => {
    await rig.scheduler.setSources([rig.a]);
    await rig.scheduler.stop();
    rig.scheduler.start();
    expect(await rig.scheduler.pollNow()).toEqual([
      expect.objectContaining({ ok: false, error: 'The poll was stopped' }),
    ]);
    expect([rig.a.polls, rig.timetable.started]).toEqual([0, false]);
  });

  it('lets go of a source that waits for its turn, however long the polls before it take', async () => {
    rig.scheduler = rig.create(1);
    rig.a.poll = () => new Promise(() => undefined);
    await rig.scheduler.setSources([rig.a, rig.b]);
    rig.scheduler.start();
    await waitFor(() => rig.scheduler.underWay === 1);
    const asked = rig.scheduler.pollNow(rig.b.source.url);
    await rig.scheduler.setSources([rig.a]);
    expect(await rig.scheduler.pollNow(rig.b.source.url)).toEqual([]);
    await rig.scheduler.stop();
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
    expect(rig.b.polls).toBe(0);
  });

  it('does not begin a poll that was still waiting for its turn when it stopped', async () => {
    const sources = [1, 2, 3].map((i) => new FakeSource(`https://a.example/${i}/`));
    for (const source of sources) source.result = undefined;
    await rig.scheduler.setSources(sources);
    rig.scheduler.start();
    await waitFor(() => rig.scheduler.underWay === 2);
    await rig.scheduler.stop();
    expect(sources.map(({ polls }) => polls)).toEqual([1, 1, 0]);
  });

  it('stores nothing of a source that does not mind being stopped', async () => {
    let end: () => void = () => undefined;
    const documents = [{ url: 'https://a.example/d', components: [component('late')], record: {} }];
    rig.a.poll = () =>
      new Promise((resolve) => {
        end = () => resolve({ documents });
      });
    await rig.scheduler.setSources([rig.a]);
    const asked = rig.scheduler.pollNow();
    await waitFor(() => rig.scheduler.underWay === 1);
    const stopped = rig.scheduler.stop();
    end();
    await stopped;
    expect(await asked).toEqual([expect.objectContaining({ ok: false })]);
    expect(await rig.registry.size()).toBe(0);
  });

  it('stops at once, though a source does not mind being stopped', async () => {
    rig.a.poll = () => new Promise(() => undefined);
    await rig.scheduler.setSources([rig.a]);
    const asked = rig.scheduler.pollNow();
    await waitFor(() => rig.scheduler.underWay === 1);
    await rig.scheduler.stop();
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
  });

  describe('during whose reading the process dies', () => {
    /** The process dies while these are read: nothing of it is undone, and another scheduler takes over. */
    async function dieWhileReading(...sources: FakeSource[]): Promise<void> {
      const reading = new Set<FakeSource>();
      const polls = sources.map((source) => source.poll);
      for (const source of sources) {
        source.poll = async (_, progress) => {
          await progress.beforeParsing(100_000);
          reading.add(source);
          return new Promise(() => undefined);
        };
      }
      rig.scheduler.start();
      await waitFor(() => reading.size > 0 && rig.scheduler.underWay === reading.size);
      const asOfDeath = await Promise.all(sources.map(rig.record));
      await rig.scheduler.stop();
      for (const [i, record] of asOfDeath.entries()) {
        const { source } = sources[i] as FakeSource;
        if (record) await rig.registry.commit({ source, documents: [], record });
      }
      for (const [i, poll] of polls.entries()) Object.assign(sources[i] as FakeSource, { poll });
      rig.scheduler = rig.create();
      await rig.scheduler.setSources([rig.a, rig.b]);
    }
    beforeEach(async () => {
      Object.assign(rig.a, { trust: 'learned' });
      Object.assign(rig.b, { trust: 'learned' });
      await rig.scheduler.setSources([rig.a, rig.b]);
    });

    it('once is read again at the next start, and that is forgotten when a poll has ended', async () => {
      await dieWhileReading(rig.a);
      expect((await rig.record(rig.a))?.unfinished).toBe(1);
      rig.scheduler.start();
      await waitFor(() => rig.a.polls === 1);
      await waitFor(async () => (await rig.record(rig.a))?.lastSuccess !== undefined);
      expect(await rig.record(rig.a)).not.toHaveProperty('unfinished', expect.anything());
    });

    it('twice is held for an hour at least, and then read again', async () => {
      await dieWhileReading(rig.a);
      await dieWhileReading(rig.a);
      expect(rig.lines).toContain('warn source paused https://a.example/');
      expect((await rig.record(rig.a))?.heldUntil).toBe(rig.clock.now() + 90 * MINUTE);
      rig.scheduler.start();
      await rig.pass(89 * MINUTE);
      expect(rig.a.polls).toBe(0);
      await rig.pass(MINUTE);
      await waitFor(() => rig.a.polls === 1);
      await waitFor(async () => (await rig.record(rig.a))?.heldUntil === undefined);
    });

    it('twice is read when the operator asks for it by its URL, and only then', async () => {
      await dieWhileReading(rig.a);
      await dieWhileReading(rig.a);
      expect(await rig.scheduler.pollNow()).toMatchObject([{ ok: false, error: /held until/ }, { ok: true }]);
      expect(rig.a.polls).toBe(0);
      expect(await rig.scheduler.pollNow(rig.a.source.url)).toMatchObject([{ ok: true }]);
      expect(await rig.record(rig.a)).not.toHaveProperty('heldUntil', expect.anything());
    });

    it('together with another is found out: suspects are read one after the other', async () => {
      await dieWhileReading(rig.a, rig.b);
      expect([(await rig.record(rig.a))?.unfinished, (await rig.record(rig.b))?.unfinished]).toEqual([1, 1]);
      await dieWhileReading(rig.a, rig.b);
      expect(
        [
          (await rig.record(rig.a))?.heldUntil === undefined,
          (await rig.record(rig.b))?.heldUntil === undefined,
        ].sort(),
      ).toEqual([false, true]);
    });

    it('is not what a stop is taken for', async () => {
      rig.a.poll = async (_, progress) => {
        await progress.beforeParsing(100_000);
        rig.a.polls += 1;
        return new Promise(() => undefined);
      };
      rig.scheduler.start();
      await waitFor(() => rig.a.polls === 1);
      await rig.scheduler.stop();
      expect(await rig.record(rig.a)).not.toHaveProperty('unfinished', expect.anything());
    });
  });
});
