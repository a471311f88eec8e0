import PQueue from 'p-queue';
import { sourceKey } from '../../component/precedence.js';
import type { Clock, Random } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { Registry } from '../../store/disk/disk-registry.js';
import type { PollFailure, PollReport, SyncSource } from '../sync-source.js';
import { retryAt } from './backoff.js';
import { due, firstAttempt, largestPhase } from './due.js';
import { logPoll, type SyncLog } from './poll-log.js';
import { pollOnce } from './poll-once.js';
import { failuresAfter } from './source-state.js';
import type { Timetable } from './timetable.js';

export interface SchedulerOptions {
  readonly timetable: Timetable;
  /** Polls under way at once, over all hosts. */
  readonly concurrency: number;
  /** Polls under way at once for one host. */
  readonly perHost: number;
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: SyncLog;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll?: (report: PollReport) => void;
}

/** Polls each source when it is due. It knows nothing of what a source is or how it is read. */
export interface Scheduler {
  /**
   * Replaces the list of sources; those that stay keep their plans. Resolves when no poll of a dropped
   * source is under way any more, so that what it brought can be forgotten for good.
   */
  setSources(sources: readonly SyncSource[]): Promise<void>;
  start(): void;
  /** Aborts the polls under way and waits until they have ended. */
  stop(): Promise<void>;
  /** Polls every source, or those with this URL, now; joins polls that are under way. Never rejects. */
  pollNow(url?: string): Promise<PollReport[]>;
  /** How many polls are running; those that wait for their turn are not counted. */
  readonly underWay: number;
}

/** One source and its plan. */
interface Entry {
  source: SyncSource;
  record: SourceRecord | undefined;
  nextAttempt: number;
  /** How long after the schedule's times this one is polled, in ms. */
  readonly phase: number;
  readonly abort: AbortController;
  flight?: Promise<PollReport> | undefined;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  return new PollScheduler(options);
}

class PollScheduler implements Scheduler {
  readonly #options: SchedulerOptions;
  readonly #polls: PQueue;
  readonly #hosts: HostQueues;
  readonly #entries = new Map<string, Entry>();
  #stopBeat: (() => void) | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#polls = new PQueue({ concurrency: options.concurrency });
    this.#hosts = new HostQueues(options.perHost);
  }

  get underWay(): number {
    return this.#polls.pending;
  }

  async setSources(sources: readonly SyncSource[]): Promise<void> {
    const kept = new Set(sources.map(({ source }) => sourceKey(source)));
    const dropped = [...this.#entries].filter(([key]) => !kept.has(key));
    for (const [key] of dropped) this.#entries.delete(key);
    for (const source of sources) {
      const key = sourceKey(source.source);
      const known = this.#entries.get(key);
      if (known) known.source = source;
      else this.#entries.set(key, this.#enter(source));
    }
    if (this.#stopBeat) this.#beat();
    await abandon(dropped.map(([, entry]) => entry));
  }

  start(): void {
    this.#stopBeat ??= this.#options.timetable.start(() => this.#beat());
    this.#beat();
  }

  async stop(): Promise<void> {
    this.#stopBeat?.();
    this.#stopBeat = undefined;
    await abandon([...this.#entries.values()]);
  }

  pollNow(url?: string): Promise<PollReport[]> {
    const entries = [...this.#entries.values()];
    const wanted = entries.filter(({ source }) => url === undefined || url === source.source.url);
    return Promise.all(wanted.map((entry) => this.#launch(entry)));
  }

  #enter(source: SyncSource): Entry {
    const { clock, timetable, registry, random } = this.#options;
    const record = registry.source(source.source)?.record;
    const now = { now: clock.now(), next: timetable.next(), interval: timetable.interval };
    return {
      source,
      record,
      nextAttempt: firstAttempt(record, now, random),
      phase: random() * largestPhase(timetable.interval),
      abort: new AbortController(),
    };
  }

  #beat(): void {
    const waiting = [...this.#entries.values()].filter((entry) => !entry.flight);
    for (const entry of due(waiting, this.#options.clock.now())) void this.#launch(entry);
  }

  /** One flight per source: whoever asks while one is under way, or waits for its turn, joins it. */
  #launch(entry: Entry): Promise<PollReport> {
    const { source } = entry.source;
    // The host's turn first: a slow host keeps its own sources waiting, and no others.
    entry.flight ??= this.#hosts
      .run(source.url, () => this.#polls.add(() => this.#poll(entry)))
      .catch((error) => stopped(source, error))
      .finally(() => {
        entry.flight = undefined;
      });
    return entry.flight;
  }

  async #poll(entry: Entry): Promise<PollReport> {
    const { registry, clock, log, onPoll } = this.#options;
    entry.abort.signal.throwIfAborted();
    const nextAttempt = (failure?: PollFailure) => this.#nextAttempt(entry, failure);
    const polling = { registry, clock, nextAttempt };
    const { record, report } = await pollOnce(entry.source, entry.record, polling, entry.abort.signal);
    logPoll(log, entry.record, record, report);
    entry.record = record;
    entry.nextAttempt = record.nextAttempt ?? clock.now();
    onPoll?.(report);
    return report;
  }

  #nextAttempt({ record, phase }: Entry, failure: PollFailure | undefined): number {
    const { timetable, clock, random } = this.#options;
    if (!failure) return timetable.next() + phase;
    const failures = failuresAfter(record, true);
    const { notBefore } = failure;
    return retryAt({ failures, interval: timetable.interval, now: clock.now(), notBefore }, random);
  }
}

async function abandon(entries: readonly Entry[]): Promise<void> {
  for (const { abort } of entries) abort.abort(new Error('The poll was stopped'));
  await Promise.all(entries.map(({ flight }) => flight));
}

/** The report of a poll that was stopped before it could say anything. */
function stopped(source: SyncSource['source'], error: unknown): PollReport {
  return { source, ok: false, error: explain(error), durationMs: 0, added: 0, changed: 0, removed: 0 };
}
