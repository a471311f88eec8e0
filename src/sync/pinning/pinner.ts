import { pinKey } from '../../component/pin.js';
import type { FailingModule } from '../../core/module-health.js';
import type { PinDecision, StoredPin } from '../../core/pins.js';
import { elapsed } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { type PinningTimes, PinRound, type PinRoundParts } from './pin-round.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

export const PINNING_TIMES: PinningTimes = { round: 30 * SECOND, pause: SECOND / 4, check: 24 * HOUR };

/** Pins of what nobody describes any more are remembered for so long after their last check, in ms: as long as removals are. */
const REMEMBERED = 180 * 24 * HOUR;
/** Pins that are looked at at a time for that, once in so many ms. */
const SWEEP = { pins: 500, every: 24 * HOUR } as const;

/**
 * Has the modules looked at that are to be pinned: a part of them every half minute, one part after the other, and none for an
 * hour where nothing is to be done and nothing has changed. It runs beside the polls, and keeps none of them waiting.
 */
export class Pinner {
  readonly #parts: PinRoundParts;
  readonly #abort = new AbortController();
  readonly #round: PinRound;
  /** Up to where the components have been looked at since the beginning of the last walk through all of them. */
  #after: string | undefined;
  /** When that began, at which position in the order of changes, and whether nothing was left to do until now. */
  #walk = { began: 0, position: -1, isDone: false };
  #swept: number;
  #loop = Promise.resolve();

  constructor(parts: PinRoundParts) {
    this.#parts = parts;
    this.#round = new PinRound(parts, this.#abort.signal);
    this.#swept = parts.clock.now();
  }

  /** The modules that could not be had lately, the latest first. */
  get failing(): readonly FailingModule[] {
    return this.#round.failing;
  }

  /** Whether and why the last tries at a module failed. */
  failureOf(uri: string): FailingModule | undefined {
    return this.#round.failureOf(uri);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Aborts the requests under way; resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('Modules are not fetched any more'));
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, times, log } = this.#parts;
    const { signal } = this.#abort;
    for (;;) {
      await clock.sleep(times.round, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#look();
        await this.#sweep();
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error: explain(error) }, 'modules could not be pinned; it is tried again');
      }
    }
  }

  async #look(): Promise<void> {
    const { catalog, clock, times } = this.#parts;
    if (this.#after === undefined) {
      const { position } = (await catalog.state()).feed;
      const now = clock.now();
      const isRecent = elapsed(this.#walk.began, now) < Math.min(HOUR, times.check);
      if (isRecent && this.#walk.isDone && this.#walk.position === position) return;
      this.#walk = { began: now, position, isDone: true };
    }
    const { next, isDone } = await this.#round.run(this.#after);
    this.#after = next;
    this.#walk.isDone &&= isDone;
  }

  /** Forgets what has not been fetched for long, unless it is still described. */
  async #sweep(): Promise<void> {
    const { pins, clock } = this.#parts;
    const now = clock.now();
    if (elapsed(this.#swept, now) < SWEEP.every) return;
    this.#swept = now;
    const isOld = ({ checked }: StoredPin) => checked < now - REMEMBERED;
    for (let after: string | undefined = ''; after !== undefined && !this.#abort.signal.aborted; ) {
      const some: readonly StoredPin[] = await pins.list({ after, limit: SWEEP.pins });
      const old = some.filter(isOld);
      const decide: PinDecision<StoredPin> = (_, known, isDescribed) =>
        known && isOld(known) && !isDescribed ? undefined : known;
      if (old.length > 0) await pins.change(old, decide);
      const last = some.at(-1);
      after = last && some.length === SWEEP.pins ? pinKey(last) : undefined;
    }
  }
}
