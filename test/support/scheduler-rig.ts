import type { PeerRules } from '../../src/core/take.js';
import type { PollOutcome, PollReport } from '../../src/explain/poll-report.js';
import { PollHistory } from '../../src/http/operations/poll-history.js';
import { HostQueues } from '../../src/lib/fetch/host-queues.js';
import { withoutPause } from '../../src/lib/pace.js';
import type { SourceChange } from '../../src/registry/difference.js';
import type { Registry } from '../../src/registry/registry.js';
import type { InTurn } from '../../src/sync/leased.js';
import { Room } from '../../src/sync/room.js';
import { Scheduler } from '../../src/sync/scheduler.js';
import { cleanup } from './cleanup.js';
import { FakeReader } from './fake-reader.js';
import { memoryRegistry, type TestRegistry } from './registry.js';
import { VirtualClock } from './virtual-time.js';
import { waitFor } from './wait-for.js';

export const MINUTE = 60_000;

/** A scheduler on virtual time and all that is around it: its registry, what it reports and logs, and two sources. */
export class SchedulerRig {
  /** Polls are regular on the virtual clock, and ticks are the test's. */
  readonly timetable = {
    interval: 5 * MINUTE,
    started: false,
    tick: (): void => undefined,
    next: () => Math.floor(this.clock.now() / (5 * MINUTE) + 1) * 5 * MINUTE,
    start: (tick: () => void) => {
      Object.assign(this.timetable, { tick, started: true });
      return () => void Object.assign(this.timetable, { tick: () => undefined, started: false });
    },
  };
  readonly reports: PollReport[] = [];
  readonly outcomes: PollOutcome[] = [];
  /** What was logged: level, message and source. */
  readonly lines: string[] = [];
  readonly limits = { maxComponents: 1000, maxLearnedComponents: 1000 };
  readonly a = new FakeReader('https://a.example/');
  readonly b = new FakeReader('https://b.example/');
  /** What is taken of peers. */
  rules: PeerRules | undefined;
  scheduler: Scheduler;
  #queues = new HostQueues(2, 8);
  /** The registry cannot store anything any more. */
  full = false;
  /** What was committed. */
  readonly commits: SourceChange[] = [];

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
    this.scheduler = this.create();
  }

  /** Another scheduler on the same registry. A test that puts it in the place of the first lets the rig stop it. */
  create({ concurrency, inTurn }: { concurrency?: number; inTurn?: InTurn } = {}): Scheduler {
    if (concurrency !== undefined) this.#queues = new HostQueues(2, concurrency);
    const line = (level: string) => (fields: object, message: string) =>
      this.lines.push(`${level} ${message} ${'source' in fields ? fields.source : ''}`);
    const commit: Registry['commit'] = (change) => {
      if (this.full) return Promise.reject(new Error('ENOSPC: no space left on device'));
      this.commits.push(change);
      return this.registry.commit(change);
    };
    const log = { debug: line('debug'), info: line('info'), warn: line('warn') };
    const history = new PollHistory({ clock: this.clock, log, metrics: { polled: () => undefined } });
    return new Scheduler({
      timetable: this.timetable,
      queues: this.#queues,
      room: new Room({
        limits: this.limits,
        sources: () => this.registry.sources(),
        isConfigured: ({ url }) =>
          [this.a, this.b].every(({ source, trust }) => source.url !== url || trust === 'configured'),
      }),
      rules: () => this.rules,
      registry: this.registry,
      inTurn: inTurn ?? ((_, poll) => poll(commit)),
      clock: this.clock,
      random: () => 0.5,
      pace: withoutPause,
      log,
      onPoll: (outcome) => {
        history.polled(outcome);
        this.reports.push(outcome.report);
        this.outcomes.push(outcome);
      },
    });
  }

  /** Polls `a` now. */
  async poll(result?: FakeReader['result'], options?: { acceptShrink: boolean }): Promise<PollReport> {
    if (result) this.a.result = result;
    const [report] = await this.scheduler.pollNow(this.a.source.url, options);
    if (!report) throw new Error('it is not polled');
    return report;
  }

  /** Polls that run. */
  get underWay(): number {
    return this.#queues.running;
  }

  async pass(ms: number): Promise<void> {
    this.clock.pass(ms);
    this.timetable.tick();
    await this.settled();
  }

  /** Polls that have an answer have ended. */
  settled = () => waitFor(() => this.underWay === this.a.running + this.b.running);

  record = async (reader: FakeReader) => (await this.registry.source(reader.source))?.record;
  stored = async () => (await this.registry.source(this.a.source))?.documents ?? new Map();
}
