import PQueue from 'p-queue';
import type { Catalog } from '../../catalog/catalog.js';
import { type Source, sourceKey } from '../../component/source.js';
import { HEARD_STRETCH, retryAt } from '../../core/poll-times.js';
import type { SourceRecord } from '../../core/source-record.js';
import type { PollReport } from '../../explain/poll-report.js';
import type { Clock, Random } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import { TrustQueue } from '../../lib/fetch/trust-queue.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SharedPolls } from '../../registry/shared-polls.js';
import type { PollFailure, SyncSource } from '../sync-source.js';
import type { Polling } from './poll.js';
import { pollOnce } from './poll.js';
import { logPoll } from './poll-log.js';
import {
  adopt,
  endPoll,
  firstPlan,
  hintedPoll,
  isDue,
  notePaused,
  pollInTurn,
  type SourcePlan,
  STOPPED,
  sourcePlan,
  TURN_RETRY,
  unpolled,
} from './source-plan.js';
import { type QuotaLimits, StorageQuota } from './storage-quota.js';
import type { Timetable } from './timetable.js';

export interface SchedulerOptions {
  readonly timetable: Timetable;
  /** Polls under way at once, over all hosts; learned sources get at most half of them. */
  readonly concurrency: number;
  /** Polls under way at once for one host. */
  readonly perHost: number;
  /** How much is kept of what the sources say. */
  readonly limits: QuotaLimits;
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
  readonly log: LogTo<'debug' | 'info' | 'warn'>;
  /** Present where other nodes poll the same sources into the same registry. */
  readonly shared?: SharedPolls | undefined;
  /** Does a source itself say when something changes, at present? Then it is polled less often. */
  readonly hears?: (source: Source) => boolean;
  /** Told of every poll that ended, except those that were aborted. */
  readonly onPoll?: (report: PollReport) => void;
}

export interface PollNowOptions {
  /** An operator accepts that a source says much less than before. */
  readonly acceptShrink?: boolean;
}

function pausedText(until: number): string {
  return `It is paused until ${new Date(until).toISOString()}; POST /sync?source=<its URL> reads it before`;
}

/** Polls each source when it is due. It knows nothing of what a source is or how it is read. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #polls: TrustQueue;
  readonly #hosts: HostQueues;
  /** Suspects are read one at a time: if the process dies again, it is known of which. */
  readonly #suspects = new PQueue({ concurrency: 1 });
  readonly #quota: StorageQuota;
  readonly #entries = new Map<string, SourcePlan>();
  #stopTimetable: (() => void) | undefined;
  #stopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#polls = new TrustQueue(options.concurrency);
    this.#hosts = new HostQueues(options.perHost);
    this.#quota = new StorageQuota(options.limits);
  }

  /** How many polls are running; those that wait for their turn are not counted. */
  get underWay(): number {
    return this.#polls.running;
  }

  /**
   * Replaces the list of sources; those that stay keep their plans. Resolves when no poll of a dropped
   * source is under way any more, so that what it brought can be forgotten for good. To be called again only then.
   */
  async setSources(sources: readonly SyncSource[]): Promise<void> {
    const kept = new Set(sources.map(({ source }) => sourceKey(source)));
    const dropped = [...this.#entries].filter(([key]) => !kept.has(key));
    await Promise.all(dropped.map(([key, entry]) => this.#drop(key, entry)));
    for (const source of sources) {
      const entry = this.#entries.get(sourceKey(source.source));
      if (entry) entry.source = source;
      else await this.#add(source);
    }
    if (this.#stopTimetable) this.#pollDue();
  }

  start(): void {
    if (this.#stopped) return;
    this.#stopTimetable ??= this.#options.timetable.start(() => this.#pollDue());
    this.#pollDue();
  }

  /** Aborts the polls under way, and resolves when they have ended. No poll begins any more, not even on demand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimetable?.();
    this.#stopTimetable = undefined;
    await Promise.all([...this.#entries.values()].map(endPoll));
  }

  /**
   * Polls every source, or those with this URL, now, and reports polls that began after the question: who asks during a
   * poll shares the next one. Never rejects. A source that is paused is polled only when it is asked for by its URL.
   */
  pollNow(url?: string, { acceptShrink = false }: PollNowOptions = {}): Promise<PollReport[]> {
    const entries = [...this.#entries.values()];
    const wanted = entries.filter(({ source }) => url === undefined || url === source.source.url);
    const { clock } = this.#options;
    return Promise.all(
      wanted.map((entry) => {
        const { source, heldUntil = 0 } = entry;
        if (url === undefined && heldUntil > clock.now()) return unpolled(source, pausedText(heldUntil));
        return acceptShrink ? this.#launchAccepting(entry) : this.#launchNow(entry);
      }),
    );
  }

  /** The poll under way may have decided before an operator accepted that the source says less: then it is polled again. */
  async #launchAccepting(entry: SourcePlan): Promise<PollReport> {
    entry.acceptShrink = true;
    const report = await this.#launchNow(entry);
    if (!report.held || this.#stopped) return report;
    entry.acceptShrink = true;
    return this.#launchNow(entry);
  }

  /** Waits for a poll under way, of this node or another: what it has read may be older than the question. */
  async #launchNow(entry: SourcePlan): Promise<PollReport> {
    entry.asked = this.#options.clock.now();
    if (entry.begun) await entry.poll;
    for (;;) {
      const report = await this.#launch(entry);
      if (!entry.elsewhere || this.#stopped) return report;
      try {
        await this.#options.clock.sleep(TURN_RETRY, entry.abort.signal);
      } catch (error) {
        // The source is not polled any more: to ask for it again and again would keep everything else from running.
        return unpolled(entry.source, explain(error));
      }
    }
  }

  /** Another node that shares the registry has stored this after a poll. */
  polledElsewhere(source: Source, record: SourceRecord): void {
    const entry = this.#entries.get(sourceKey(source));
    if (!entry || entry.begun) return;
    adopt(entry, record);
  }

  /**
   * Something may have changed at a source: it is polled at once, or `after` so many ms; soon when the last poll has just
   * begun. A source that failed, or is paused, keeps its time: a hint takes no back-off away. It is polled only where it answers
   * again (`isBack`), and where nothing but a change of the source could help (it was private, or not there) and its author says
   * that there was one (`isMended`).
   */
  hint(source: Source, { after = 0, isBack = false, isMended = false } = {}): void {
    const entry = this.#entries.get(sourceKey(source));
    if (!entry || !this.#stopTimetable || entry.heldUntil !== undefined) return;
    if (entry.failing && !isBack && !(isMended && entry.permanent)) return;
    // A poll that has not begun reads the news, whichever node it is that polls.
    if (!entry.begun) entry.asked = this.#options.clock.now();
    if (entry.poll) entry.hinted ||= entry.begun;
    else this.#pollSoon(entry, after);
  }

  /**
   * A source no longer says when something changes: it is polled at once when its stream broke (`isBroken`), which may be the
   * first sign that it is down, and as the schedule says otherwise.
   */
  lost(source: Source, isBroken: boolean): void {
    const entry = this.#entries.get(sourceKey(source));
    if (!entry || entry.failing || entry.heldUntil !== undefined) return;
    entry.nextAttempt = Math.min(entry.nextAttempt, this.#options.timetable.next() + entry.phase);
    if (isBroken) this.hint(source);
  }

  /** However many hints there are: polls of one source have a distance. */
  #pollSoon(entry: SourcePlan, after: number): void {
    const now = this.#options.clock.now();
    const earliest = Math.max(hintedPoll(entry, now), now + after);
    if (earliest < entry.nextAttempt) {
      entry.hints?.take(now);
      entry.nextAttempt = earliest;
    }
    if (entry.nextAttempt <= now) void this.#launch(entry);
  }

  /** Its room is given back when its last poll has ended, which may still store something until then. */
  async #drop(key: string, entry: SourcePlan): Promise<void> {
    await endPoll(entry);
    this.#entries.delete(key);
    this.#quota.delete(entry.source.source);
  }

  async #add(source: SyncSource): Promise<void> {
    const { registry, log } = this.#options;
    const stored = await registry.source(source.source);
    this.#quota.set(source.source, source.trust, stored);
    const { record, plan } = firstPlan(stored, this.#options);
    if (plan.heldUntil !== undefined && plan.heldUntil !== stored?.record.heldUntil)
      await notePaused(source.source, plan.heldUntil, { registry, log });
    this.#entries.set(sourceKey(source.source), sourcePlan(source, record, plan));
  }

  #pollDue(): void {
    const { clock, timetable } = this.#options;
    const now = clock.now();
    const at = { now, next: timetable.next(), interval: timetable.interval };
    const due = [...this.#entries.values()].filter((entry) => !entry.poll && isDue(entry, at));
    // The longest overdue first.
    for (const entry of due.sort((one, other) => one.nextAttempt - other.nextAttempt))
      void this.#launch(entry);
  }

  /** One poll of a source at a time: whoever asks while one is under way, or waits for its turn, gets its report. */
  #launch(entry: SourcePlan): Promise<PollReport> {
    if (this.#stopped) entry.abort.abort(new Error(STOPPED));
    entry.poll ??= (entry.suspect ? this.#suspects.add(() => this.#inTurn(entry)) : this.#inTurn(entry))
      .catch((error) => unpolled(entry.source, explain(error)))
      .finally(() => {
        Object.assign(entry, { poll: undefined, begun: false });
      });
    return entry.poll;
  }

  /** The host's turn first: a slow host keeps its own sources waiting, and no others. */
  #inTurn(entry: SourcePlan): Promise<PollReport> {
    const { source, trust } = entry.source;
    return this.#hosts.run(source.url, () => this.#polls.run(() => this.#poll(entry), trust), trust);
  }

  async #poll(entry: SourcePlan): Promise<PollReport> {
    entry.abort.signal.throwIfAborted();
    return pollInTurn(entry, this.#options, (registry) => this.#pollNow(entry, registry));
  }

  async #pollNow(entry: SourcePlan, registry: Polling['registry']): Promise<PollReport> {
    const { catalog, clock, pace, log, onPoll } = this.#options;
    const began = clock.now();
    Object.assign(entry, { begun: true, began, latest: began, asked: 0, hinted: false });
    const polling = {
      registry,
      catalog,
      clock,
      pace,
      quota: this.#quota,
      acceptsShrink: () => entry.acceptShrink,
      nextAttempt: (failure: PollFailure | undefined, failures: number) =>
        this.#nextAttempt(entry, failure, failures),
    };
    const { before, after, report } = await pollOnce(entry.source, polling, entry.abort.signal);
    logPoll(log, before, after, report);
    Object.assign(entry, { heldUntil: undefined, suspect: false, acceptShrink: false });
    entry.nextAttempt = after.nextAttempt ?? clock.now();
    entry.failing = after.failures > 0;
    entry.permanent = after.permanent === true;
    if (entry.hinted && !entry.failing) {
      const earliest = hintedPoll(entry, clock.now());
      entry.hints?.take(clock.now());
      entry.nextAttempt = Math.min(entry.nextAttempt, earliest);
    }
    onPoll?.(report);
    return report;
  }

  #nextAttempt(entry: SourcePlan, failure: PollFailure | undefined, failures: number): number {
    const { timetable, clock, random, hears } = this.#options;
    if (!failure) {
      const skipped = hears?.(entry.source.source) ? HEARD_STRETCH - 1 : 0;
      return timetable.next() + entry.phase + skipped * timetable.interval;
    }
    const { notBefore, permanent } = failure;
    const { trust } = entry.source;
    const state = { failures, interval: timetable.interval, now: clock.now(), notBefore, permanent, trust };
    return retryAt(state, random);
  }
}
