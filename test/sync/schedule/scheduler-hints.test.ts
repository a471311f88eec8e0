import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, SchedulerRig } from '../../support/scheduler-rig.js';
import { waitFor } from '../../support/wait-for.js';

const SECOND = 1000;

describe('hints', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
  });

  const planned = async () => (await rig.record(rig.a))?.nextAttempt ?? 0;
  async function started(): Promise<void> {
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    await rig.settled();
  }

  it('make a source due at once, and again a second later at the earliest', async () => {
    await started();
    await rig.pass(SECOND);
    for (let i = 0; i < 10_000; i++) rig.scheduler.hint(rig.a.source);
    await waitFor(() => rig.reports.length === 2);
    for (let i = 0; i < 10_000; i++) rig.scheduler.hint(rig.a.source);
    expect(rig.a.polls).toBe(2);
    await rig.pass(SECOND - 1);
    expect(rig.a.polls).toBe(2);
    await rig.pass(1);
    await waitFor(() => rig.reports.length === 3);
    await rig.pass(10 * SECOND);
    expect(rig.a.polls).toBe(3);
  });

  it('that have time are followed together, and at once when one has not', async () => {
    await started();
    await rig.pass(SECOND);
    rig.scheduler.hint(rig.a.source, { after: 2 * SECOND });
    await rig.pass(SECOND);
    rig.scheduler.hint(rig.a.source, { after: 2 * SECOND });
    expect(rig.a.polls).toBe(1);
    await rig.pass(SECOND);
    await waitFor(() => rig.reports.length === 2);
    await rig.pass(5 * SECOND);
    expect(rig.a.polls).toBe(2);
    rig.scheduler.hint(rig.a.source, { after: 2 * SECOND });
    rig.scheduler.hint(rig.a.source);
    await waitFor(() => rig.reports.length === 3);
    await rig.pass(5 * SECOND);
    expect(rig.a.polls).toBe(3);
  });

  it('make a learned source due five times in a row, and then every ten seconds', async () => {
    rig.a.trust = 'learned';
    await started();
    const pollsIn = async (seconds: number) => {
      const before = rig.a.polls;
      for (let i = 0; i < seconds; i++) {
        rig.scheduler.hint(rig.a.source);
        await rig.pass(SECOND);
      }
      return rig.a.polls - before;
    };
    expect(await pollsIn(10)).toBeLessThanOrEqual(6);
    expect(await pollsIn(100)).toBe(10);
  });

  it('that come while the source is read lead to another poll', async () => {
    await started();
    await rig.pass(SECOND);
    rig.a.result = undefined;
    rig.scheduler.hint(rig.a.source);
    await waitFor(() => rig.a.running === 1);
    rig.scheduler.hint(rig.a.source);
    rig.a.answer({ documents: [] });
    await waitFor(() => rig.reports.length === 2);
    rig.a.result = { documents: [] };
    await rig.pass(SECOND);
    await waitFor(() => rig.reports.length === 3);
  });

  it('take no back-off away', async () => {
    await started();
    rig.a.result = { documents: [], failure: { message: 'down' } };
    await rig.pass(SECOND);
    rig.scheduler.hint(rig.a.source);
    await waitFor(() => rig.reports.length === 2);
    for (let i = 0; i < 100; i++) {
      rig.scheduler.hint(rig.a.source);
      await rig.pass(SECOND);
    }
    expect(rig.a.polls).toBe(2);
    await rig.pass((await planned()) - rig.clock.now());
    expect(rig.a.polls).toBe(3);
  });

  it('of an author have a source polled that only its author could mend, each ten seconds at most', async () => {
    rig.a.result = { documents: [], failure: { message: 'private', permanent: true } };
    await started();
    for (let i = 0; i < 30; i++) {
      rig.scheduler.hint(rig.a.source);
      await rig.pass(SECOND);
    }
    expect(rig.a.polls).toBe(1);
    for (let i = 0; i < 30; i++) {
      rig.scheduler.hint(rig.a.source, { isMended: true });
      await rig.pass(SECOND);
    }
    expect(rig.a.polls).toBe(4);
    rig.a.result = { documents: [], failure: { message: 'down' } };
    await rig.pass(10 * SECOND);
    rig.scheduler.hint(rig.a.source, { isMended: true });
    await waitFor(() => rig.reports.length === 5);
    rig.scheduler.hint(rig.a.source, { isMended: true });
    await rig.pass(20 * SECOND);
    expect(rig.a.polls).toBe(5);
  });

  it('for what is not read, or before the start, do nothing', async () => {
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.hint(rig.a.source);
    rig.scheduler.hint(rig.b.source);
    rig.scheduler.lost(rig.b.source, true);
    expect([rig.a.polls, rig.b.polls]).toEqual([0, 0]);
  });

  it('flowing, have a source polled at a sixth of the rate; when the line is lost, as before', async () => {
    rig.heard.add(rig.a.source.url);
    await started();
    const usual = rig.timetable.next() + 1.25 * MINUTE;
    expect(await planned()).toBe(usual + 25 * MINUTE);
    rig.scheduler.lost(rig.a.source, false);
    await rig.pass(usual - rig.clock.now() - 1);
    expect(rig.a.polls).toBe(1);
    await rig.pass(1);
    expect(rig.a.polls).toBe(2);
  });

  it('that flow no more because the line broke make the source due at once; when it answers again, so does that', async () => {
    rig.heard.add(rig.a.source.url);
    await started();
    await rig.pass(SECOND);
    rig.a.result = { documents: [], failure: { message: 'down' } };
    rig.scheduler.lost(rig.a.source, true);
    await waitFor(() => rig.reports.length === 2);
    rig.a.result = { documents: [] };
    rig.scheduler.hint(rig.a.source, { isBack: true, after: 2 * SECOND });
    await rig.pass(10 * SECOND);
    await waitFor(() => rig.reports.length === 3);
    expect(rig.reports.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it('are followed also after the clock was set back', async () => {
    await started();
    rig.clock.pass(-40 * 24 * 60 * MINUTE);
    rig.scheduler.hint(rig.a.source);
    await rig.pass(SECOND);
    expect(rig.a.polls).toBe(2);
  });
});
