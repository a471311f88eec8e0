import { beforeEach, describe, expect, it } from 'vitest';
import type { PollProgress, PollResult } from '../../../src/sync/sync-source.js';
import { FakeSource } from '../../support/fake-source.js';
import { component } from '../../support/registry.js';
import { MINUTE, SchedulerRig } from '../../support/scheduler-rig.js';
import { waitFor } from '../../support/wait-for.js';

describe('the scheduler', () => {
  let rig: SchedulerRig;
  beforeEach(async () => {
    rig = await SchedulerRig.open();
  });

  const down = (more = {}): PollResult => ({ documents: [], failure: { message: 'down', ...more } });

  it('polls what was never read at once, and then by the schedule', async () => {
    await rig.scheduler.setSources([rig.a]);
    expect(rig.a.polls).toBe(0);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    const planned = (await rig.record(rig.a))?.nextAttempt ?? 0;
    // Half of the largest phase, which is half an interval, after the schedule's next time.
    expect(planned).toBe(rig.timetable.next() + 1.25 * MINUTE);

    await rig.pass(planned - rig.clock.now() - 1);
    expect(rig.a.polls).toBe(1);
    await rig.pass(1);
    expect(rig.a.polls).toBe(2);
  });

  it('keeps to the plans of before a restart', async () => {
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    await rig.scheduler.stop();
    const planned = (await rig.record(rig.a))?.nextAttempt ?? 0;

    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await rig.pass(planned - rig.clock.now() - 1);
    expect(rig.a.polls).toBe(1);
    await rig.pass(1);
    await waitFor(() => rig.a.polls === 2);
  });

  it('stores what a poll found together with its record', async () => {
    rig.a.result = {
      documents: [{ url: 'https://a.example/d', components: [component('x')], record: { etag: '"1"' } }],
    };
    await rig.scheduler.setSources([rig.a]);
    const examples = { added: [{ uri: component('x').uri, label: 'x' }], changed: [], removed: [] };
    expect(await rig.scheduler.pollNow()).toEqual([
      { source: rig.a.source, ok: true, durationMs: 0, added: 1, changed: 0, removed: 0, examples },
    ]);
    expect(await rig.registry.size()).toBe(1);
    expect(await rig.record(rig.a)).toMatchObject({
      failures: 0,
      lastAttempt: rig.clock.now(),
      lastSuccess: rig.clock.now(),
    });
    expect(rig.lines).toEqual(['info source polled https://a.example/']);
  });

  it('writes one line a poll: at info for what is new, at debug when nothing has changed', async () => {
    await rig.scheduler.setSources([rig.a]);
    rig.a.result = { documents: [] };
    await rig.scheduler.pollNow();
    await rig.scheduler.pollNow();
    const document = { url: 'https://a.example/d', components: [component('x')], record: { etag: '"1"' } };
    rig.a.result = { documents: [document] };
    await rig.scheduler.pollNow();
    await rig.scheduler.pollNow();
    expect(rig.lines.map((line) => line.replace(/ https.*/, ''))).toEqual([
      // The first time that a source is read is news.
      'info source polled',
      'debug source polled',
      'info source polled',
      'debug source polled',
    ]);
  });

  it('backs off from a failing source, says so once, and notices its recovery', async () => {
    rig.a.result = down();
    await rig.scheduler.setSources([rig.a]);
    const failingSince = rig.clock.now();
    const waits: number[] = [];
    for (let i = 0; i < 3; i++) {
      await rig.scheduler.pollNow();
      waits.push(((await rig.record(rig.a))?.nextAttempt ?? 0) - rig.clock.now());
      rig.clock.pass(MINUTE);
    }
    // What the operator has named never waits for more than two intervals.
    expect(waits).toEqual([3.75 * MINUTE, 7.5 * MINUTE, 7.5 * MINUTE]);
    expect(await rig.record(rig.a)).toMatchObject({ failures: 3, failingSince, error: 'down' });
    rig.a.result = { documents: [] };
    await rig.scheduler.pollNow();
    expect(await rig.record(rig.a)).not.toHaveProperty('error', expect.anything());
    expect(rig.lines.map((line) => line.replace(/ https.*/, ''))).toEqual([
      'warn source fails',
      'debug source still fails',
      'debug source still fails',
      'info source recovered',
    ]);
  });

  it('tries again when the server asked for it', async () => {
    rig.a.result = down({ notBefore: rig.clock.now() + 40 * MINUTE });
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    expect((await rig.record(rig.a))?.nextAttempt).toBe(rig.clock.now() + 40 * MINUTE);
    await rig.pass(40 * MINUTE - 1);
    expect(rig.a.polls).toBe(1);
    await rig.pass(1);
    expect(rig.a.polls).toBe(2);
  });

  it('makes one poll for everyone who asks while another is under way, which may have begun before the news', async () => {
    rig.a.result = undefined;
    await rig.scheduler.setSources([rig.a, rig.b]);
    rig.scheduler.start();
    await waitFor(() => rig.a.running === 1);
    const asked = [rig.scheduler.pollNow(rig.a.source.url), rig.scheduler.pollNow(rig.a.source.url)];
    rig.timetable.tick();
    rig.a.answer({ documents: [] });
    await waitFor(() => rig.a.polls === 2 && rig.a.running === 1);
    rig.a.answer({ documents: [], failure: { message: 'down since' } });
    for (const [report] of await Promise.all(asked)) expect(report?.error).toBe('down since');
    expect(rig.a.polls).toBe(2);
    expect(await rig.scheduler.pollNow('https://stranger.example/')).toEqual([]);
  });

  it('polls so many at once in all, and two at once of one host', async () => {
    const hosts = ['one', 'one', 'one', 'two', 'three'];
    const sources = hosts.map((host, i) => new FakeSource(`https://${host}.example/${i}/`));
    for (const source of sources) source.result = undefined;
    rig.scheduler = rig.create(3);
    await rig.scheduler.setSources(sources);
    const all = rig.scheduler.pollNow();
    const running = () =>
      sources.filter((source) => source.running > 0).map((source) => sources.indexOf(source));
    await waitFor(() => rig.scheduler.underWay === 3);
    expect(running()).toEqual([0, 1, 3]);
    sources[3]?.answer({ documents: [] });
    await waitFor(() => running().includes(4));
    expect(running()).toEqual([0, 1, 4]);
    sources[0]?.answer({ documents: [] });
    await waitFor(() => running().includes(2));
    for (const source of sources) source.answer({ documents: [] });
    expect(await all).toHaveLength(5);
  });

  it('backs off when the registry cannot tell what is stored, and says that nothing was', async () => {
    await rig.scheduler.setSources([rig.a]);
    rig.unreadable = true;
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    expect(rig.reports[0]).toMatchObject({
      ok: false,
      unstored: true,
      error: expect.stringContaining('EIO'),
    });
    rig.timetable.tick();
    rig.timetable.tick();
    await rig.settled();
    expect(rig.reports).toHaveLength(1);
    rig.unreadable = false;
    await rig.pass(5 * MINUTE);
    await waitFor(() => rig.reports.length === 2);
    expect(rig.reports[1]).toMatchObject({ ok: true });
  });

  it('says that a poll was not stored when only a portion of it could not be', async () => {
    let refuse = true;
    rig.a.poll = async (_, progress: PollProgress) => {
      rig.full = refuse;
      const documents = [{ url: 'https://a.example/d', components: [component('x')], record: {} }];
      await progress.store(documents).finally(() => {
        rig.full = false;
      });
      return { documents: [] };
    };
    await rig.scheduler.setSources([rig.a]);
    expect(await rig.scheduler.pollNow()).toEqual([
      expect.objectContaining({ ok: false, unstored: true, error: expect.stringContaining('ENOSPC') }),
    ]);
    expect((await rig.record(rig.a))?.error).toContain('could not be stored');
    refuse = false;
    expect(await rig.scheduler.pollNow()).toEqual([expect.objectContaining({ ok: true, added: 1 })]);
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

  it('survives a full disk: the poll failed, what is served stays, and it tries again', async () => {
    const documents = [{ url: 'https://a.example/d', components: [component('x')], record: {} }];
    rig.a.result = { documents };
    await rig.scheduler.setSources([rig.a]);
    rig.scheduler.start();
    await waitFor(() => rig.reports.length === 1);
    rig.full = true;
    rig.a.result = { documents: [{ url: 'https://a.example/d', record: null }] };
    const [report] = await rig.scheduler.pollNow();
    expect(report).toMatchObject({ ok: false, error: expect.stringContaining('ENOSPC') });
    expect(rig.lines.at(-1)).toBe('warn source fails https://a.example/');
    expect(await rig.registry.size()).toBe(1);
    rig.full = false;
    await rig.pass(5 * MINUTE);
    await waitFor(async () => (await rig.registry.size()) === 0);
  });

  it('keeps what others have noted of a source during a poll that breaks off', async () => {
    await rig.scheduler.setSources([rig.a]);
    await rig.registry.commit({
      source: rig.a.source,
      documents: [],
      record: { failures: 0, memo: { seen: 'old' } },
    });
    rig.scheduler = rig.create();
    await rig.scheduler.setSources([rig.a]);
    rig.a.poll = async () => {
      await rig.registry.commit({
        source: rig.a.source,
        documents: [],
        record: (current) => ({ ...current, memo: { seen: 'new' } }),
      });
      throw new Error('broken off');
    };
    await rig.scheduler.pollNow();
    expect(await rig.record(rig.a)).toMatchObject({ failures: 1, memo: { seen: 'new' } });
  });

  it('survives a source with a fault of its own', async () => {
    rig.a.poll = () => Promise.reject(new TypeError('x is not a function'));
    await rig.scheduler.setSources([rig.a, rig.b]);
    const found = await rig.scheduler.pollNow();
    expect(found.map(({ ok }) => ok)).toEqual([false, true]);
    expect((await rig.record(rig.a))?.error).toContain('x is not a function');
  });
});
