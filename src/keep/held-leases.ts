import type { Clock } from '../lib/clock.js';
import type { Lease } from './keep.js';

/** A lease of which nothing is heard for so long, in ms, ends by itself: others may take it. */
export const LEASE_LIFETIME = 15_000;
/**
 * A lease that ends so much later, in ms, was taken before the clock was set back, and counts as ended. The margin is wide: what a
 * database calls now is when a transaction began, and another one may have taken a lease since.
 */
export const IMPOSSIBLE_LEASE = 10 * LEASE_LIFETIME;
/** Several renewals fit into a lifetime, so that one that is late or fails does no harm. */
const RENEWAL = LEASE_LIFETIME / 5;

export interface HeldLeasesOptions {
  readonly clock: Clock;
  /** Has these leases last a lifetime from now. What it throws is passed over: it is tried again soon. */
  readonly renew: (leases: readonly Lease[]) => Promise<void>;
}

/** The leases that one keep holds. They are renewed until they are given back or the keep is closed. */
export class HeldLeases {
  readonly #options: HeldLeasesOptions;
  readonly #leases = new Set<Lease>();
  readonly #closing = new AbortController();
  #isRenewing = false;

  constructor(options: HeldLeasesOptions) {
    this.#options = options;
  }

  add(lease: Lease): void {
    this.#leases.add(lease);
    if (!this.#isRenewing) void this.#renewing();
  }

  delete(lease: Lease): void {
    this.#leases.delete(lease);
  }

  close(): void {
    this.#closing.abort(new Error('The keep is closed'));
    this.#leases.clear();
  }

  async #renewing(): Promise<void> {
    const { clock, renew } = this.#options;
    this.#isRenewing = true;
    while (this.#leases.size > 0) {
      // Rejects only when the keep is being closed; then no lease is left.
      await clock.sleep(RENEWAL, this.#closing.signal).catch(() => undefined);
      // While a database is away for long, leases end. Where others take them then, commits fail with LeaseLost.
      if (this.#leases.size > 0) await renew([...this.#leases]).catch(() => undefined);
    }
    this.#isRenewing = false;
  }
}
