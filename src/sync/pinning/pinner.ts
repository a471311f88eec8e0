import type { FailingModule } from '../../core/module-health.js';
import type { StoredPin } from '../../core/pins.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { type PinningTimes, PinRound, type PinRoundParts } from './pin-round.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

export const PINNING_TIMES: PinningTimes = { round: 30 * SECOND, pause: SECOND / 4, check: 24 * HOUR };

/** Pins of what nobody describes any more are remembered for so long after their last check, in ms: as long as removals are. */
const REMEMBERED = 180 * 24 * HOUR;
/** More pins than there are: all of them are looked at. */
const ALL = 10_000_000;

/**
 * Has the modules looked at that are to be pinned: those of what has changed in the registry soon afterwards, and all of them
 * once an hour, because modules are fetched again from time to time. It runs beside the polls, and keeps none of them waiting.
 */
export class Pinner {
  readonly #parts: PinRoundParts;
  readonly #abort = new AbortController();
  readonly #round: PinRound;
  /** The position in the order of changes up to which everything has been looked at. */
  #seen: number | undefined;
  /** When all was looked at. */
  #looked = 0;
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
        await this.#look(clock);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error: explain(error) }, 'modules could not be pinned; it is tried again');
      }
    }
  }

  async #look(clock: Clock): Promise<void> {
    const { catalog, times } = this.#parts;
    const { position } = (await catalog.state()).feed;
    const now = clock.now();
    const isLongAgo = elapsed(this.#looked, now) >= Math.min(HOUR, times.check);
    const since = isLongAgo ? undefined : this.#seen;
    if (since === position && this.#round.waiting.length === 0) return;
    if (since === undefined) this.#looked = now;
    const isDone = await (since === undefined ? this.#round.run() : this.#round.runSince(since));
    this.#seen = isDone ? position : undefined;
    if (elapsed(this.#swept, now) >= 24 * HOUR) await this.#sweep(now);
  }

  /** Forgets what has not been fetched for long, unless it is still described. */
  async #sweep(now: number): Promise<void> {
    const { pins } = this.#parts;
    this.#swept = now;
    const isOld = ({ checked }: StoredPin) => checked < now - REMEMBERED;
    const old = (await pins.list({ limit: ALL })).filter(isOld);
    await pins.change(old, (_, known, isDescribed) =>
      known && isOld(known) && !isDescribed ? undefined : known,
    );
  }
}
