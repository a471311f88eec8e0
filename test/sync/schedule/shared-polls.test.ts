import { beforeEach, describe, expect, it } from 'vitest';
import { type Source, sourceKey } from '../../../src/component/source.js';
import type { SourceRecord } from '../../../src/core/source-record.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { Lease, SharedPolls } from '../../../src/registry/shared-polls.js';
import { Scheduler } from '../../../src/sync/schedule/scheduler.js';
import { FakeSource } from '../../support/fake-source.js';
import { memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock, VirtualTimetable } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const MINUTE = 60_000;

/** Leases in memory: those of one process stand for those of several. */
class MemoryPolls {
  readonly held = new Map<string, string>();
  readonly #listeners = new Map<string, (source: Source, record: SourceRecord) => void>();

  constructor(readonly registry: TestRegistry) {}

  of(node: string): SharedPolls {
    return {
      take: async (source) => this.#take(node, source),
      watch: (listener) => {
        this.#listeners.set(node, listener);
        return () => this.#listeners.delete(node);
      },
    };
  }

  async tell(source: Source, from: string): Promise<void> {
    const record = (await this.registry.source(source))?.record;
    for (const [node, listener] of this.#listeners) if (node !== from && record) listener(source, record);
  }

  async #take(node: string, source: Source): Promise<Lease | undefined> {
    const key = sourceKey(source);
    if (this.held.has(key)) return undefined;
    this.held.set(key, node);
    const record = (await this.registry.source(source))?.record;
    const { epoch } = (await this.registry.state()).revision;
    const lease = await this.registry.keep.lease(key);
    return {
      ...{ record, epoch, name: key, fence: lease?.fence ?? '' },
      release: async () => {
        this.held.delete(key);
        await lease?.release();
      },
    };
  }
}

/** A node with its own reader of the one source that there is. */
class PollingNode {
  readonly reader = new FakeSource('https://a.example/');
  readonly timetable: VirtualTimetable;
  readonly scheduler: Scheduler;

  constructor(name: string, polls: MemoryPolls, clock: VirtualClock) {
    const { registry } = polls;
    const shared = polls.of(name);
    this.timetable = new VirtualTimetable(clock, 5 * MINUTE);
    this.scheduler = new Scheduler({
      ...{
        timetable: this.timetable,
        concurrency: 8,
        perHost: 2,
        registry,
        catalog: registry.catalog,
        clock,
        shared,
      },
      limits: { maxComponents: 1000, maxLearnedComponents: 1000 },
      ...{ random: () => 0.5, pace: withoutPause },
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
      onPoll: ({ source }) => void polls.tell(source, name),
    });
    shared.watch((source, record) => this.scheduler.polledElsewhere(source, record));
  }

  async start(): Promise<void> {
    await this.scheduler.setSources([this.reader]);
    this.scheduler.start();
  }
}

describe('nodes that share a registry', () => {
  let clock: VirtualClock;
  let polls: MemoryPolls;
  let one: PollingNode;
  let other: PollingNode;

  beforeEach(async () => {
    clock = new VirtualClock();
    const registry = await memoryRegistry({ clock });
    polls = new MemoryPolls(registry);
    one = new PollingNode('one', polls, clock);
    other = new PollingNode('other', polls, clock);
    return async () => {
      await Promise.all([one.scheduler.stop(), other.scheduler.stop()]);
      await registry.close();
    };
  });

  const count = () => [one.reader.polls, other.reader.polls];
  const idle = () => waitFor(() => one.scheduler.underWay + other.scheduler.underWay === 0);
  async function pass(ms: number): Promise<void> {
    clock.pass(ms);
    one.timetable.tick();
    other.timetable.tick();
    await idle();
  }

  it('poll a source once in each interval, whichever of them it is', async () => {
    await one.start();
    await idle();
    await other.start();
    await idle();
    expect(count()).toEqual([1, 0]);
    const both = () => one.reader.polls + other.reader.polls;
    // Polls have a phase of their own behind the times of the schedule.
    await pass(2 * MINUTE);
    for (let interval = 1; interval <= 4; interval++) {
      for (let minute = 0; minute < 5; minute++) await pass(MINUTE);
      await waitFor(() => both() > interval);
      await idle();
      expect(both()).toBe(1 + interval);
    }
  });

  it('leave a source to the node that polls it, and take it over when that node is gone', async () => {
    one.reader.result = undefined;
    await one.start();
    await waitFor(() => one.reader.running === 1);
    await other.start();
    await waitFor(() => other.scheduler.underWay === 0);
    expect(count()).toEqual([1, 0]);
    clock.pass(2_000);
    other.timetable.tick();
    await waitFor(() => other.scheduler.underWay === 0);
    expect(count()).toEqual([1, 0]);
    // The lease of a node that has died ends by itself.
    polls.held.clear();
    clock.pass(2_000);
    other.timetable.tick();
    await waitFor(() => other.reader.polls === 1);
  });

  it('take one hint for one poll, though all of them hear it', async () => {
    await one.start();
    await other.start();
    await idle();
    await pass(MINUTE);
    const before = one.reader.polls + other.reader.polls;
    one.scheduler.hint(one.reader.source);
    other.scheduler.hint(other.reader.source);
    await pass(2_000);
    await pass(2_000);
    expect(one.reader.polls + other.reader.polls).toBe(before + 1);
  });

  it('poll again for a hint that came after the poll of another node had begun', async () => {
    one.reader.result = undefined;
    await one.start();
    await waitFor(() => one.reader.running === 1);
    await other.start();
    clock.pass(MINUTE);
    other.scheduler.hint(other.reader.source);
    await waitFor(() => other.scheduler.underWay === 0);
    one.reader.answer({ documents: [] });
    await idle();
    await pass(2_000);
    await pass(2_000);
    expect(count()).toEqual([1, 1]);
  });

  it('wait for another node when an operator asks for a poll, and then read anew', async () => {
    one.reader.result = undefined;
    await one.start();
    await waitFor(() => one.reader.running === 1);
    await other.start();
    clock.pass(1_000);
    const asked = other.scheduler.pollNow('https://a.example/');
    await waitFor(() => other.scheduler.underWay === 0);
    one.reader.answer({ documents: [] });
    await waitFor(() => {
      clock.pass(1_000);
      return other.reader.polls === 1;
    });
    expect(await asked).toMatchObject([{ ok: true }]);
  });

  it('ask no further for a source that is dropped while another node polls it', async () => {
    one.reader.result = undefined;
    await one.start();
    await waitFor(() => one.reader.running === 1);
    await other.start();
    const asked = other.scheduler.pollNow('https://a.example/');
    await waitFor(() => other.scheduler.underWay === 0);
    await other.scheduler.setSources([]);
    expect(await asked).toMatchObject([{ ok: false, error: 'The poll was stopped' }]);
    one.reader.answer({ documents: [] });
    await idle();
    expect(other.reader.polls).toBe(0);
  });
});
