import type { Clock } from '../../lib/clock.js';
import { type Coverage, coverageOf } from '../coverage.js';

/** A pod whose first poll has not ended by then is waited for no longer, in ms: its host may be slow, or the queue long. */
const LONGEST = 3 * 60_000;

/**
 * Pods that this node is about to read for the first time. Until that has been tried, their documents are not taken from
 * peers: each peer that reads the pod would send them, and all would be dropped once this node has read it. While many
 * nodes join a network, that is most of what is sent.
 */
export class AwaitedPods {
  readonly #clock: Clock;
  /** Since when, ms since the Unix epoch: the longest first. */
  readonly #since = new Map<string, number>();
  /** Made when it is asked for: most polls find that nothing is awaited. */
  #coverage: Coverage | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The pods that are awaited, as of now. */
  get coverage(): Coverage {
    const now = this.#clock.now();
    for (const [pod, since] of this.#since) {
      if (now >= since && now - since < LONGEST) break;
      this.end(pod);
    }
    this.#coverage ??= coverageOf(this.#since.keys());
    return this.#coverage;
  }

  /** Notes that a pod is to be read, which has not been read so far. */
  begin(pod: string): void {
    if (!this.#since.has(pod)) this.#since.set(pod, this.#clock.now());
    this.#coverage = undefined;
  }

  /** Notes that a pod has been read, or could not be, or is not to be read any more. */
  end(pod: string): void {
    if (this.#since.delete(pod)) this.#coverage = undefined;
  }
}
