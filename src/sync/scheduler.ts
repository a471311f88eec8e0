import { type Source, sourceKey } from '../component/source.js';
import { type DueEvent, firstPlan, isDue, type Now, type Plan, planAfter } from '../core/due.js';
import type { ReadingEnd } from '../core/reading.js';
import type { SourceRecord } from '../core/source-record.js';
import type { PollOutcome, PollReport } from '../explain/poll-report.js';
import type { Clock, Random } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { HostQueues } from '../lib/fetch/host-queues.js';
import type { LogTo } from '../lib/log.js';
import type { Timetable } from '../lib/timetable.js';
import { NO_CHANGE } from '../registry/registry.js';
import type { InTurn } from './leased.js';
import { type Polling, pollOnce } from './poll.js';
import type { SourceReader } from './source-reader.js';

export interface SchedulerOptions extends Pick<Polling, 'registry' | 'room' | 'rules' | 'pace'> {
  readonly timetable: Timetable;
  /** Bounds the polls under way. */
  readonly queues: HostQueues;
  readonly inTurn: InTurn;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: LogTo<'debug' | 'warn'>;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll: (outcome: PollOutcome) => void;
}

export interface PollNowOptions {
  /** An operator accepts that a source says much less than before. */
  readonly acceptShrink?: boolean;
}

interface Entry {
  reader: SourceReader;
  plan: Plan;
  /** Does the next poll believe that the source says much less than before? */
  acceptsShrink: boolean;
  /** The poll under way, or that waits for its turn; its report is absent when another node polls just now. */
  flight?: Promise<PollReport | undefined> | undefined;
  /** Has that poll begun to read? */
  isReading: boolean;
  readonly abort: AbortController;
}

const STOPPED = 'The poll was stopped';
/** When it is looked again whether another node has ended a poll that somebody waits for, in ms. */
const ELSEWHERE_RETRY = 1_000;

/** Polls each source when it is due (`core/due.ts`), and knows nothing of what a source is. */
export class Scheduler {
  readonly #entries = new Map<string, Entry>();
  #stopTimetable: (() => void) | undefined;
  #stopped = false;

  constructor(readonly options: SchedulerOptions) {}

  /** Have sources been polled, and did the last poll of every one of them fail? */
  get allFail(): boolean {
    const polled = [...this.#entries.values()].filter(({ plan }) => plan.began > 0);
    return polled.length > 0 && polled.every(({ plan }) => plan.failures > 0);
  }

  /**
   * Replaces the list of sources; those that stay keep their plans. Resolves when no poll of a dropped
   * source is under way any more, so that what it brought can be forgotten. To be called again only then.
   */
  async setSources(readers: readonly SourceReader[]): Promise<void> {
    const kept = new Set(readers.map(({ source }) => sourceKey(source)));
    const dropped = [...this.#entries].filter(([key]) => !kept.has(key));
    const drop = ([key, entry]: [string, Entry]) => endFlight(entry).then(() => this.#entries.delete(key));
    await Promise.all(dropped.map(drop));
    for (const reader of readers) {
      const entry = this.#entries.get(sourceKey(reader.source));
      if (entry) entry.reader = reader;
      else await this.#add(reader);
    }
    if (this.#stopTimetable) this.#tick();
  }

  start(): void {
    if (this.#stopped) return;
    this.#stopTimetable ??= this.options.timetable.start(() => this.#tick());
    this.#tick();
  }

  /** Aborts the polls under way, and resolves when they have ended. No poll begins any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimetable?.();
    this.#stopTimetable = undefined;
    await Promise.all([...this.#entries.values()].map(endFlight));
  }

  /**
   * Polls every source, or those with this URL, and reports polls that began after the question: who asks
   * during a poll shares the next one. Never rejects.
   */
  pollNow(url?: string, options?: PollNowOptions): Promise<PollReport[]> {
    const entries = [...this.#entries.values()];
    const wanted = entries.filter(({ reader }) => url === undefined || url === reader.source.url);
    return Promise.all(wanted.map((entry) => this.#pollNow(entry, options)));
  }

  /** Another node that shares the registry has stored this after a poll. */
  polledElsewhere(source: Source, record: SourceRecord): void {
    const entry = this.#entries.get(sourceKey(source));
    if (entry && !entry.isReading) this.#note(entry, { kind: 'polled elsewhere', record });
  }

  /** Something may have changed at a source: it is polled after so many ms, if `core/due.ts` allows. */
  hint(source: Source, after = 0): void {
    const entry = this.#entries.get(sourceKey(source));
    if (!entry || !this.#stopTimetable) return;
    this.#note(entry, { kind: 'hint', after });
    if (entry.plan.due <= this.options.clock.now()) void this.#launch(entry);
  }

  async #pollNow(entry: Entry, { acceptShrink = false }: PollNowOptions = {}): Promise<PollReport> {
    this.#note(entry, { kind: 'asked' });
    // What a poll under way has read may be older than the question.
    if (entry.isReading) await entry.flight;
    for (;;) {
      entry.acceptsShrink ||= acceptShrink;
      const report = await this.#launch(entry);
      if (report) return report;
      // Another node polls it. Once it is not polled here any more, there is a report that says so.
      await this.options.clock.sleep(ELSEWHERE_RETRY, entry.abort.signal).catch(() => undefined);
    }
  }

  async #add(reader: SourceReader): Promise<void> {
    const stored = await this.options.registry.source(reader.source);
    const plan = firstPlan(reader.trust, stored?.record, this.#now());
    const entry = { reader, plan, acceptsShrink: false, isReading: false, abort: new AbortController() };
    this.#entries.set(sourceKey(reader.source), entry);
  }

  #tick(): void {
    const at = this.#now();
    const due = [...this.#entries.values()].filter(({ flight, plan }) => !flight && isDue(plan, at));
    // The longest overdue first.
    for (const entry of due.sort((one, other) => one.plan.due - other.plan.due)) void this.#launch(entry);
  }

  /** One poll of a source at a time: whoever asks while one is under way gets its report. Never rejects. */
  #launch(entry: Entry): Promise<PollReport | undefined> {
    if (this.#stopped) entry.abort.abort(new Error(STOPPED));
    const { source, trust } = entry.reader;
    entry.flight ??= this.options.queues
      .run(source.url, () => this.#poll(entry), trust)
      .catch((error) => this.#notPolled(entry, error))
      .finally(() => {
        Object.assign(entry, { flight: undefined, isReading: false });
      });
    return entry.flight;
  }

  /** No poll came of it: it was stopped, or this node could not find out whether it is its turn. */
  #notPolled(entry: Entry, cause: unknown): PollReport {
    const { plan, abort } = entry;
    const { source } = entry.reader;
    const error = explain(cause);
    if (!abort.signal.aborted) {
      const fields = { kind: source.kind, source: source.url, error };
      this.options.log[plan.failures > 0 ? 'debug' : 'warn'](fields, 'source cannot be polled');
      // Who has asked is told now, and has not to be answered by another try.
      this.#note(entry, { kind: 'begun' });
      this.#note(entry, { kind: 'polled', failure: { message: error } });
    }
    return { source, durationMs: 0, ...NO_CHANGE, ok: false, error };
  }

  async #poll(entry: Entry): Promise<PollReport | undefined> {
    const { inTurn, onPoll } = this.options;
    const { began } = entry.plan;
    // Another node may have polled it just now, and this one has heard of that with its turn.
    const isNews = () => entry.plan.began === began;
    entry.abort.signal.throwIfAborted();
    const outcome = await inTurn(entry.reader.source, async (commit) =>
      isNews() ? this.#read(entry, commit) : undefined,
    );
    if (outcome) onPoll(outcome);
    else if (isNews()) this.#note(entry, { kind: 'leased elsewhere' });
    return outcome?.report;
  }

  #read(entry: Entry, commit: Polling['commit']): Promise<PollOutcome> {
    const { registry, room, rules, clock, pace } = this.options;
    const { reader, abort, acceptsShrink } = entry;
    abort.signal.throwIfAborted();
    this.#note(entry, { kind: 'begun' });
    Object.assign(entry, { isReading: true, acceptsShrink: false });
    const { failures } = entry.plan;
    // It is asked again when what it has planned could not be stored.
    const plan = (end: ReadingEnd) => {
      entry.plan = { ...entry.plan, failures };
      this.#note(entry, { ...end, kind: 'polled' });
      return entry.plan;
    };
    const polling = { registry, commit, room, rules, clock, pace, acceptsShrink, plan };
    return pollOnce(reader, polling, abort.signal);
  }

  #note(entry: Entry, event: DueEvent): void {
    entry.plan = planAfter(entry.plan, event, this.#now());
  }

  #now(): Now {
    const { clock, timetable, random } = this.options;
    return { now: clock.now(), next: timetable.next(), interval: timetable.interval, random };
  }
}

/** Aborts the poll of a source, and resolves when it has ended. One that waits for its turn is let go. */
async function endFlight(entry: Entry): Promise<void> {
  entry.abort.abort(new Error(STOPPED));
  if (entry.isReading) await entry.flight;
}
