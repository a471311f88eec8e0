import type { Follower } from '../../explain/node-report.js';
import type { Clock } from '../../lib/clock.js';
import { nodeOf } from '../../lib/user-agent.js';

/** How many followers are remembered: anybody can invent as many as they like. */
const MOST = 100;
/** A follower that did not come for so long is forgotten, in ms. */
const FORGOTTEN_MS = 7 * 24 * 60 * 60 * 1000;

/** The nodes that have read this one since its start. */
export class Followers {
  readonly #clock: Pick<Clock, 'now'>;
  /** The latest one last. */
  readonly #byUrl = new Map<string, Follower>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** To be told of the `User-Agent` of every request. */
  readonly note = (userAgent: string): void => {
    const agent = nodeOf(userAgent);
    if (!agent) return;
    const now = this.#clock.now();
    const known = this.#byUrl.get(agent.url);
    if (!known && this.#byUrl.size >= MOST) this.#makeRoom(now);
    const { firstSeen = now, requests = 0 } = known ?? {};
    this.#byUrl.delete(agent.url);
    this.#byUrl.set(agent.url, { ...agent, firstSeen, lastSeen: now, requests: requests + 1 });
  };

  /** The latest first. */
  list(): Follower[] {
    const since = this.#clock.now() - FORGOTTEN_MS;
    return [...this.#byUrl.values()].filter(({ lastSeen }) => lastSeen > since).reverse();
  }

  /** Forgets those that come no more, or else the one with the fewest requests: invented ones crowd out no regular follower. */
  #makeRoom(now: number): void {
    let fewest: Follower | undefined;
    for (const follower of this.#byUrl.values()) {
      if (follower.lastSeen <= now - FORGOTTEN_MS) this.#byUrl.delete(follower.url);
      else if (!fewest || follower.requests < fewest.requests) fewest = follower;
    }
    if (this.#byUrl.size >= MOST && fewest) this.#byUrl.delete(fewest.url);
  }
}
