import type { PollReport } from '../../src/explain/poll-report.js';
import { withoutPause } from '../../src/lib/pace.js';
import type { SourceChange } from '../../src/registry/source-change.js';
import { Scheduler } from '../../src/sync/schedule/scheduler.js';
import { cleanup } from './cleanup.js';
import { FakeSource } from './fake-source.js';
import { memoryRegistry, type TestRegistry } from './registry.js';
import { VirtualClock, VirtualTimetable } from './virtual-clock.js';
import { waitFor } from './wait-for.js';

export const MINUTE = 60_000;

/** A scheduler on virtual time and all that is around it: its registry, what it reports and logs, and two sources. */
export class SchedulerRig {
  readonly timetable: VirtualTimetable;
  readonly reports: PollReport[] = [];
  /** What was logged: level, message and source. */
  readonly lines: string[] = [];
  readonly limits = { maxComponents: 1000, maxLearnedComponents: 1000 };
  readonly a = new FakeSource('https://a.example/');
  readonly b = new FakeSource('https://b.example/');
  /** URLs of sources that say themselves when something changes. */
  readonly heard = new Set<string>();
  scheduler: Scheduler;
  /** The registry cannot store anything any more. */
  full = false;
  /** The registry cannot tell what is stored. */
  unreadable = false;

  /** A rig that is gone with the test. */
  static async open(): Promise<SchedulerRig> {
    const clock = new VirtualClock();
    const rig = new SchedulerRig(clock, await memoryRegistry({ clock }));
    cleanup(async () => {
      await rig.scheduler.stop();
      await rig.registry.close();
    });
    return rig;
  }

  private constructor(
    readonly clock: VirtualClock,
    readonly registry: TestRegistry,
  ) {
    this.timetable = new VirtualTimetable(clock, 5 * MINUTE);
    this.scheduler = this.create();
  }

  /** Another scheduler on the same registry. A test that puts it in the place of the first lets the rig stop it. */
  create(concurrency = 8): Scheduler {
    const line = (level: string) => (fields: object, message: string) =>
      this.lines.push(`${level} ${message} ${'source' in fields ? fields.source : ''}`);
    return new Scheduler({
      timetable: this.timetable,
      concurrency,
      perHost: 2,
      limits: this.limits,
      registry: {
        source: (source) =>
          this.unreadable ? Promise.reject(new Error('EIO: i/o error')) : this.registry.source(source),
        commit: (change: SourceChange) =>
          this.full
            ? Promise.reject(new Error('ENOSPC: no space left on device'))
            : this.registry.commit(change),
      },
      catalog: this.registry.catalog,
      clock: this.clock,
      random: () => 0.5,
      pace: withoutPause,
      log: { debug: line('debug'), info: line('info'), warn: line('warn') },
      hears: ({ url }) => this.heard.has(url),
      onPoll: (report) => this.reports.push(report),
    });
  }

  async pass(ms: number): Promise<void> {
    this.clock.pass(ms);
    this.timetable.tick();
    await this.settled();
  }

  /** Polls that have an answer have ended. */
  settled = () => waitFor(() => this.scheduler.underWay === this.a.running + this.b.running);

  record = async (source: FakeSource) => (await this.registry.source(source.source))?.record;
}
