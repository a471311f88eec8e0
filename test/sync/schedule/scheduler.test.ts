import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/precedence.js';
import type { PollReport } from '../../../src/registry/poll-report.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { createScheduler, type Scheduler } from '../../../src/sync/schedule/scheduler.js';
import {
  type PollProgress,
  type PollResult,
  PollTimeout,
  type SyncSource,
} from '../../../src/sync/sync-source.js';
import { component, memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock, VirtualTimetable } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const MINUTE = 60_000;

/** A source that a test answers for: polls wait until `answer` is called, unless `result` is set. */
class FakeSource implements SyncSource {
  readonly source: Source;
  trust: 'configured' | 'learned' = 'configured';
  polls = 0;
  running = 0;
  aborted = 0;
  result: PollResult | undefined = { documents: [] };
  answer: (result: PollResult) => void = () => undefined;

  constructor(url: string) {
    this.source = { kind: 'pod', url };
  }

  async poll(_: unknown, { signal }: PollProgress): Promise<PollResult> {
    this.polls += 1;
    this.running += 1;
    try {
      if (this.result) return this.result;
      return await new Promise((resolve, reject) => {
        this.answer = resolve;
        signal.addEventListener('abort', () => {
          this.aborted += 1;
          reject(signal.reason);
        });
      });
    } finally {
      this.running -= 1;
    }
  }
}

describe('the scheduler', () => {
  const clock = new VirtualClock();
  let registry: TestRegistry;
  let timetable: VirtualTimetable;
  let scheduler: Scheduler;
  let reports: PollReport[];
  let lines: string[];
  let full: boolean;
  let unreadable: boolean;
  let limits: { maxComponents: number; maxLearnedComponents: number };
  let a: FakeSource;
  let b: FakeSource;

  beforeEach(async () => {
    registry = await memoryRegistry({ clock });
    timetable = new VirtualTimetable(clock, 5 * MINUTE);
    [reports, lines, full, unreadable] = [[], [], false, false];
    limits = { maxComponents: 1000, maxLearnedComponents: 1000 };
    a = new FakeSource('https://a.example/');
    b = new FakeSource('https://b.example/');
    scheduler = create();
  });
  afterEach(async () => {
    await scheduler.stop();
    await registry.close();
  });

  function create(concurrency = 8): Scheduler {
    const line = (level: string) => (fields: object, message: string) =>
      lines.push(`${level} ${message} ${'source' in fields ? fields.source : ''}`);
    return createScheduler({
      timetable,
      concurrency,
      perHost: 2,
      limits,
      registry: {
        source: (source) =>
          unreadable ? Promise.reject(new Error('EIO: i/o error')) : registry.source(source),
        commit: (change: SourceChange) =>
          full ? Promise.reject(new Error('ENOSPC: no space left on device')) : registry.commit(change),
      },
      clock,
      random: () => 0.5,
      log: { debug: line('debug'), info: line('info'), warn: line('warn') },
      onPoll: (report) => reports.push(report),
    });
  }
  async function pass(ms: number): Promise<void> {
    clock.pass(ms);
    timetable.tick();
    await settled();
  }
  /** Polls that have an answer have ended. */
  const settled = () =>
    waitFor(() => scheduler.underWay === [a, b].reduce((sum, source) => sum + source.running, 0));
  const record = async (source: FakeSource) => (await registry.source(source.source))?.record;
  const down = (more = {}): PollResult => ({ documents: [], failure: { message: 'down', ...more } });

  it('polls what was never read at once, and then by the schedule', async () => {
    await scheduler.setSources([a]);
    expect(a.polls).toBe(0);
    scheduler.start();
    await waitFor(() => reports.length === 1);
    const planned = (await record(a))?.nextAttempt ?? 0;
    // Half of the largest phase, which is half an interval, after the schedule's next time.
    expect(planned).toBe(timetable.next() + 1.25 * MINUTE);

    await pass(planned - clock.now() - 1);
    expect(a.polls).toBe(1);
    await pass(1);
    expect(a.polls).toBe(2);
  });

  it('keeps to the plans of before a restart', async () => {
    await scheduler.setSources([a]);
    scheduler.start();
    await waitFor(() => reports.length === 1);
    await scheduler.stop();
    const planned = (await record(a))?.nextAttempt ?? 0;

    scheduler = create();
    await scheduler.setSources([a]);
    scheduler.start();
    await pass(planned - clock.now() - 1);
    expect(a.polls).toBe(1);
    await pass(1);
    await waitFor(() => a.polls === 2);
  });

  it('stores what a poll found together with its record', async () => {
    a.result = {
      documents: [{ url: 'https://a.example/d', components: [component('x')], record: { etag: '"1"' } }],
    };
    await scheduler.setSources([a]);
    expect(await scheduler.pollNow()).toEqual([
      { source: a.source, ok: true, durationMs: 0, added: 1, changed: 0, removed: 0 },
    ]);
    expect(await registry.size()).toBe(1);
    expect(await record(a)).toMatchObject({
      failures: 0,
      lastAttempt: clock.now(),
      lastSuccess: clock.now(),
    });
    expect(lines).toEqual(['info source polled https://a.example/']);
  });

  it('backs off from a failing source, says so once, and notices its recovery', async () => {
    a.result = down();
    await scheduler.setSources([a]);
    const failingSince = clock.now();
    const waits: number[] = [];
    for (let i = 0; i < 3; i++) {
      await scheduler.pollNow();
      waits.push(((await record(a))?.nextAttempt ?? 0) - clock.now());
      clock.pass(MINUTE);
    }
    expect(waits).toEqual([3.75 * MINUTE, 7.5 * MINUTE, 15 * MINUTE]);
    expect(await record(a)).toMatchObject({ failures: 3, failingSince, error: 'down' });
    a.result = { documents: [] };
    await scheduler.pollNow();
    expect(await record(a)).not.toHaveProperty('error');
    expect(lines.map((line) => line.replace(/ https.*/, ''))).toEqual([
      'warn source fails',
      'debug source still fails',
      'debug source still fails',
      'info source recovered',
    ]);
  });

  it('tries again when the server asked for it', async () => {
    a.result = down({ notBefore: clock.now() + 40 * MINUTE });
    await scheduler.setSources([a]);
    scheduler.start();
    await waitFor(() => reports.length === 1);
    expect((await record(a))?.nextAttempt).toBe(clock.now() + 40 * MINUTE);
    await pass(40 * MINUTE - 1);
    expect(a.polls).toBe(1);
    await pass(1);
    expect(a.polls).toBe(2);
  });

  it('lets one flight serve everyone who asks', async () => {
    a.result = undefined;
    await scheduler.setSources([a, b]);
    scheduler.start();
    await waitFor(() => a.running === 1);
    const joined = [scheduler.pollNow(a.source.url), scheduler.pollNow(a.source.url)];
    timetable.tick();
    a.answer({ documents: [] });
    const [one, other] = await Promise.all(joined);
    expect(one).toEqual(other);
    expect(a.polls).toBe(1);
    expect(await scheduler.pollNow('https://stranger.example/')).toEqual([]);
  });

  it('polls so many at once in all, and two at once of one host', async () => {
    const hosts = ['one', 'one', 'one', 'two', 'three'];
    const sources = hosts.map((host, i) => new FakeSource(`https://${host}.example/${i}/`));
    for (const source of sources) source.result = undefined;
    scheduler = create(3);
    await scheduler.setSources(sources);
    const all = scheduler.pollNow();
    const running = () =>
      sources.filter((source) => source.running > 0).map((source) => sources.indexOf(source));
    await waitFor(() => scheduler.underWay === 3);
    expect(running()).toEqual([0, 1, 3]);
    sources[3]?.answer({ documents: [] });
    await waitFor(() => running().includes(4));
    expect(running()).toEqual([0, 1, 4]);
    sources[0]?.answer({ documents: [] });
    await waitFor(() => running().includes(2));
    for (const source of sources) source.answer({ documents: [] });
    expect(await all).toHaveLength(5);
  });

  it('stops: aborts polls under way, stores nothing of them, and does not poll again', async () => {
    a.result = undefined;
    await scheduler.setSources([a]);
    scheduler.start();
    const asked = scheduler.pollNow();
    await waitFor(() => a.running === 1);
    await scheduler.stop();
    expect(a.running).toBe(0);
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
    expect(await registry.source(a.source)).toBeUndefined();
    expect(timetable.started).toBe(false);
    expect(reports).toEqual([]);
  });

  it('polls nothing any more once it has stopped, not even on demand', async () => {
    await scheduler.setSources([a]);
    await scheduler.stop();
    scheduler.start();
    expect(await scheduler.pollNow()).toEqual([
      expect.objectContaining({ ok: false, error: 'The poll was stopped' }),
    ]);
    expect([a.polls, timetable.started]).toEqual([0, false]);
  });

  it('lets go of a source that waits for its turn, however long the polls before it take', async () => {
    scheduler = create(1);
    a.poll = () => new Promise(() => undefined);
    await scheduler.setSources([a, b]);
    scheduler.start();
    await waitFor(() => scheduler.underWay === 1);
    const asked = scheduler.pollNow(b.source.url);
    await scheduler.setSources([a]);
    expect(await scheduler.pollNow(b.source.url)).toEqual([]);
    await scheduler.stop();
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
    expect(b.polls).toBe(0);
  });

  it('backs off when the registry cannot tell what is stored, and says that nothing was', async () => {
    await scheduler.setSources([a]);
    unreadable = true;
    scheduler.start();
    await waitFor(() => reports.length === 1);
    expect(reports[0]).toMatchObject({ ok: false, unstored: true, error: expect.stringContaining('EIO') });
    timetable.tick();
    timetable.tick();
    await settled();
    expect(reports).toHaveLength(1);
    unreadable = false;
    await pass(5 * MINUTE);
    await waitFor(() => reports.length === 2);
    expect(reports[1]).toMatchObject({ ok: true });
  });

  it('says that a poll was not stored when only a portion of it could not be', async () => {
    let refuse = true;
    a.poll = async (_, progress: PollProgress) => {
      full = refuse;
      const documents = [{ url: 'https://a.example/d', components: [component('x')], record: {} }];
      await progress.store(documents).finally(() => {
        full = false;
      });
      return { documents: [] };
    };
    await scheduler.setSources([a]);
    expect(await scheduler.pollNow()).toEqual([
      expect.objectContaining({ ok: false, unstored: true, error: expect.stringContaining('ENOSPC') }),
    ]);
    expect((await record(a))?.error).toContain('could not be stored');
    refuse = false;
    expect(await scheduler.pollNow()).toEqual([expect.objectContaining({ ok: true, added: 1 })]);
  });

  it('does not begin a poll that was still waiting for its turn when it stopped', async () => {
    const sources = [1, 2, 3].map((i) => new FakeSource(`https://a.example/${i}/`));
    for (const source of sources) source.result = undefined;
    await scheduler.setSources(sources);
    scheduler.start();
    await waitFor(() => scheduler.underWay === 2);
    await scheduler.stop();
    expect(sources.map(({ polls }) => polls)).toEqual([1, 1, 0]);
  });

  it('stores nothing of a source that does not mind being stopped', async () => {
    let end: () => void = () => undefined;
    const documents = [{ url: 'https://a.example/d', components: [component('late')], record: {} }];
    a.poll = () =>
      new Promise((resolve) => {
        end = () => resolve({ documents });
      });
    await scheduler.setSources([a]);
    const asked = scheduler.pollNow();
    await waitFor(() => scheduler.underWay === 1);
    const stopped = scheduler.stop();
    end();
    await stopped;
    expect(await asked).toEqual([expect.objectContaining({ ok: false })]);
    expect(await registry.size()).toBe(0);
  });

  it('changes its list while it runs: new ones are polled, dropped ones are let go', async () => {
    a.result = undefined;
    await scheduler.setSources([a]);
    scheduler.start();
    await waitFor(() => a.running === 1);
    await scheduler.setSources([b]);
    expect([a.running, a.aborted]).toEqual([0, 1]);
    await waitFor(() => b.polls === 1);
    expect(await registry.source(a.source)).toBeUndefined();
    await pass(60 * MINUTE);
    expect(a.polls).toBe(1);
  });

  it('survives a full disk: the poll failed, what is served stays, and it tries again', async () => {
    const documents = [{ url: 'https://a.example/d', components: [component('x')], record: {} }];
    a.result = { documents };
    await scheduler.setSources([a]);
    scheduler.start();
    await waitFor(() => reports.length === 1);
    full = true;
    a.result = { documents: [{ url: 'https://a.example/d', record: null }] };
    const [report] = await scheduler.pollNow();
    expect(report).toMatchObject({ ok: false, error: expect.stringContaining('ENOSPC') });
    expect(lines.at(-1)).toBe('warn source fails https://a.example/');
    expect(await registry.size()).toBe(1);
    full = false;
    await pass(5 * MINUTE);
    await waitFor(async () => (await registry.size()) === 0);
  });

  it('keeps what others have noted of a source during a poll that breaks off', async () => {
    await scheduler.setSources([a]);
    await registry.commit({
      source: a.source,
      documents: [],
      record: { failures: 0, memo: { seen: 'old' } },
    });
    scheduler = create();
    await scheduler.setSources([a]);
    a.poll = async () => {
      await registry.commit({
        source: a.source,
        documents: [],
        record: (current) => ({ ...current, memo: { seen: 'new' } }),
      });
      throw new Error('broken off');
    };
    await scheduler.pollNow();
    expect(await record(a)).toMatchObject({ failures: 1, memo: { seen: 'new' } });
  });

  describe('among learned sources that never answer', () => {
    const silent = Array.from({ length: 64 }, (_, i) => new FakeSource(`https://silent${i}.example/`));
    beforeEach(async () => {
      for (const source of silent) Object.assign(source, { trust: 'learned', result: undefined, polls: 0 });
      scheduler = create(4);
    });

    it('polls a configured source at once, however many of them wait', async () => {
      await scheduler.setSources([...silent, a]);
      scheduler.start();
      await waitFor(() => a.polls === 1 && reports.length === 1);
      expect(silent.filter(({ running }) => running > 0)).toHaveLength(2);
      clock.pass(90_000);
      await scheduler.pollNow(a.source.url);
      expect(a.polls).toBe(2);
    });

    it('ends each after two minutes and keeps what it found, so that all have their turn', async () => {
      const [first] = silent as [FakeSource];
      const documents = [{ url: 'https://silent0.example/d', components: [component('x')], record: {} }];
      first.poll = async (_, { signal }) => {
        await once(signal, 'abort');
        expect(signal.reason).toBeInstanceOf(PollTimeout);
        return { documents, failure: { message: 'cut short' } };
      };
      await scheduler.setSources([first, b]);
      Object.assign(b, { trust: 'learned', result: undefined });
      scheduler.start();
      await waitFor(() => scheduler.underWay === 2);
      clock.pass(2 * MINUTE);
      await waitFor(() => reports.length === 2);
      expect(await registry.size()).toBe(1);
      expect(await record(first)).toMatchObject({ failures: 1, error: 'cut short' });
    });

    it('gives up one that does not mind its time being over', async () => {
      a.poll = () => new Promise(() => undefined);
      a.trust = 'learned';
      await scheduler.setSources([a]);
      scheduler.start();
      await waitFor(() => scheduler.underWay === 1);
      clock.pass(2 * MINUTE + 30_000);
      await waitFor(() => reports.length === 1);
      expect((await record(a))?.error).toContain('had not ended after 2 minutes');
      expect((await record(a))?.nextAttempt).toBeGreaterThan(clock.now() + 2 * MINUTE);
    });
  });

  it('stops at once, though a source does not mind being stopped', async () => {
    a.poll = () => new Promise(() => undefined);
    await scheduler.setSources([a]);
    const asked = scheduler.pollNow();
    await waitFor(() => scheduler.underWay === 1);
    await scheduler.stop();
    expect(await asked).toEqual([expect.objectContaining({ ok: false, error: 'The poll was stopped' })]);
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
      ...((await registry.source(source.source))?.documents.values() ?? []),
    ];

    it('keeps the first of one source, counts the others, and still removes what is gone', async () => {
      limits.maxComponents = 5;
      await scheduler.setSources([a, b]);
      a.result = { documents: [document(a, 'one', names(0, 3)), document(a, 'two', names(3, 4).reverse())] };
      b.result = { documents: [document(b, 'one', names(20, 5))] };
      expect(await scheduler.pollNow()).toMatchObject([
        { ok: true, added: 5 },
        { ok: true, added: 5 },
      ]);
      expect(await stored(a)).toMatchObject([{ components: 3 }, { components: 2, omitted: 2 }]);
      expect(await registry.get('https://c.example/c004.js')).toBeDefined();
      a.result = {
        documents: [{ url: `${a.source.url}one`, record: null }, document(a, 'two', names(3, 4))],
      };
      await scheduler.pollNow(a.source.url);
      expect(await stored(a)).toMatchObject([{ components: 4 }]);
      expect((await stored(a))[0]).not.toHaveProperty('omitted');
    });

    it('bounds all learned sources together, and gives back the room of those that are dropped', async () => {
      limits.maxLearnedComponents = 6;
      for (const source of [a, b]) {
        source.trust = 'learned';
        source.result = { documents: [document(source, 'd', names(source === a ? 0 : 10, 4))] };
      }
      await scheduler.setSources([a, b]);
      await scheduler.pollNow(a.source.url);
      await scheduler.pollNow(b.source.url);
      expect([await stored(a), await stored(b)]).toMatchObject([
        [{ components: 4 }],
        [{ components: 2, omitted: 2 }],
      ]);
      await scheduler.setSources([b]);
      await scheduler.pollNow(b.source.url);
      expect(await stored(b)).toMatchObject([{ components: 4 }]);
    });

    it('bounds bytes as well: few components of the largest size', async () => {
      limits.maxComponents = 1000;
      const description = 'x'.repeat(16_384);
      const heavy = names(0, 500).map((one) => ({ ...one, description }));
      await scheduler.setSources([a]);
      a.result = { documents: [document(a, 'd', heavy)] };
      await scheduler.pollNow();
      const [{ components = 0, omitted = 0 } = {}] = await stored(a);
      expect(components + omitted).toBe(500);
      expect(components * description.length).toBeLessThanOrEqual(1_000_000);
      expect(components).toBeGreaterThan(50);
    });

    it('stores portions while a poll goes on, and counts them in its report', async () => {
      a.poll = async (_, progress) => {
        await progress.store([document(a, 'one', names(0, 2))]);
        expect(await registry.size()).toBe(2);
        return { documents: [document(a, 'two', names(2, 1))] };
      };
      await scheduler.setSources([a]);
      expect(await scheduler.pollNow()).toMatchObject([{ ok: true, added: 3 }]);
    });
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
      scheduler.start();
      await waitFor(() => reading.size > 0 && scheduler.underWay === reading.size);
      const asOfDeath = await Promise.all(sources.map(record));
      await scheduler.stop();
      for (const [i, record] of asOfDeath.entries()) {
        const { source } = sources[i] as FakeSource;
        if (record) await registry.commit({ source, documents: [], record });
      }
      for (const [i, poll] of polls.entries()) Object.assign(sources[i] as FakeSource, { poll });
      scheduler = create();
      await scheduler.setSources([a, b]);
    }
    beforeEach(async () => {
      Object.assign(a, { trust: 'learned' });
      Object.assign(b, { trust: 'learned' });
      await scheduler.setSources([a, b]);
    });

    it('once is read again at the next start, and that is forgotten when a poll has ended', async () => {
      await dieWhileReading(a);
      expect((await record(a))?.unfinished).toBe(1);
      scheduler.start();
      await waitFor(() => a.polls === 1);
      await waitFor(async () => (await record(a))?.lastSuccess !== undefined);
      expect(await record(a)).not.toHaveProperty('unfinished');
    });

    it('twice is held for an hour at least, and then read again', async () => {
      await dieWhileReading(a);
      await dieWhileReading(a);
      expect(lines).toContain('warn source held https://a.example/');
      expect((await record(a))?.heldUntil).toBe(clock.now() + 90 * MINUTE);
      scheduler.start();
      await pass(89 * MINUTE);
      expect(a.polls).toBe(0);
      await pass(MINUTE);
      await waitFor(() => a.polls === 1);
      await waitFor(async () => (await record(a))?.heldUntil === undefined);
    });

    it('twice is read when the operator asks for it by its URL, and only then', async () => {
      await dieWhileReading(a);
      await dieWhileReading(a);
      expect(await scheduler.pollNow()).toMatchObject([{ ok: false, error: /held until/ }, { ok: true }]);
      expect(a.polls).toBe(0);
      expect(await scheduler.pollNow(a.source.url)).toMatchObject([{ ok: true }]);
      expect(await record(a)).not.toHaveProperty('heldUntil');
    });

    it('together with another is found out: suspects are read one after the other', async () => {
      await dieWhileReading(a, b);
      expect([(await record(a))?.unfinished, (await record(b))?.unfinished]).toEqual([1, 1]);
      await dieWhileReading(a, b);
      expect(
        [(await record(a))?.heldUntil === undefined, (await record(b))?.heldUntil === undefined].sort(),
      ).toEqual([false, true]);
    });

    it('is not what a stop is taken for', async () => {
      a.poll = async (_, progress) => {
        await progress.beforeParsing(100_000);
        a.polls += 1;
        return new Promise(() => undefined);
      };
      scheduler.start();
      await waitFor(() => a.polls === 1);
      await scheduler.stop();
      expect(await record(a)).not.toHaveProperty('unfinished');
    });
  });

  it('survives a source with a fault of its own', async () => {
    a.poll = () => Promise.reject(new TypeError('x is not a function'));
    await scheduler.setSources([a, b]);
    const found = await scheduler.pollNow();
    expect(found.map(({ ok }) => ok)).toEqual([false, true]);
    expect((await record(a))?.error).toContain('x is not a function');
  });
});
