import { type Clock, elapsed } from '../../lib/clock.js';
import { isLoopback, isNearby, networkOf, plainAddress } from '../../lib/fetch/address.js';
import type { Lookup } from '../../lib/fetch/checked-lookup.js';

/** For how long the addresses of a name are taken to be the same, in ms. */
const RESOLVED_MS = 10 * 60_000;

/** To be called when a stream has ended. */
export type Leave = () => void;

export interface StreamSharesOptions {
  /** Streams that are open at once, at most. */
  readonly most: number;
  readonly isPeer?: (network: string) => boolean;
}

/**
 * How the streams of events are shared. A network (`networkOf`) can have a tenth of them. A private address may be that of
 * a proxy, which speaks for many, and can have more. The last tenth of all is for configured peers and for this machine,
 * where a proxy may run, too.
 */
export class StreamShares {
  readonly #options: StreamSharesOptions;
  /** Streams by network; and all that are neither of peers nor of this machine. */
  readonly #networks = new Map<string, number>();
  #strangers = 0;
  #all = 0;

  constructor(options: StreamSharesOptions) {
    this.#options = options;
  }

  /** Counts a stream to this address (absent: of this process). Undefined when no more may be open. */
  take(address?: string): Leave | undefined {
    const { most, isPeer } = this.#options;
    if (this.#all >= most) return undefined;
    const plain = address === undefined ? undefined : plainAddress(address);
    const network = plain === undefined ? '' : networkOf(plain);
    if (plain === undefined || isLoopback(plain) || isPeer?.(network)) return this.#enter(network, 0);
    const tenth = Math.floor(most / 10);
    const isOver = !isNearby(plain) && (this.#networks.get(network) ?? 0) >= Math.max(1, tenth);
    return isOver || this.#strangers >= most - tenth ? undefined : this.#enter(network, 1);
  }

  #enter(network: string, strangers: 0 | 1): Leave {
    const count = (change: 1 | -1) => {
      this.#all += change;
      this.#strangers += change * strangers;
      const streams = (this.#networks.get(network) ?? 0) + change;
      if (streams > 0) this.#networks.set(network, streams);
      else this.#networks.delete(network);
    };
    count(1);
    return () => count(-1);
  }
}

/** The networks of peers. Their names are resolved in the background when somebody asks. */
export class PeerNetworks {
  readonly #hosts: ReadonlySet<string>;
  readonly #lookup: Lookup;
  readonly #clock: Pick<Clock, 'now'>;
  /** By host. One that cannot be resolved keeps what it had. */
  readonly #networks = new Map<string, readonly string[]>();
  #resolvedAt = Number.NEGATIVE_INFINITY;

  constructor(
    peers: readonly { readonly url: string }[],
    { lookup, clock }: { readonly lookup: Lookup; readonly clock: Pick<Clock, 'now'> },
  ) {
    this.#hosts = new Set(peers.map(({ url }) => new URL(url).hostname.replace(/^\[|\]$/g, '')));
    this.#lookup = lookup;
    this.#clock = clock;
  }

  readonly has = (network: string): boolean => {
    if (elapsed(this.#resolvedAt, this.#clock.now()) >= RESOLVED_MS) {
      this.#resolvedAt = this.#clock.now();
      for (const host of this.#hosts) void this.#resolve(host);
    }
    return [...this.#networks.values()].some((networks) => networks.includes(network));
  };

  async #resolve(host: string): Promise<void> {
    // The polls of the peer tell when its name has no address.
    const found = await this.#lookup(host).catch(() => []);
    if (found.length === 0) return;
    this.#networks.set(
      host,
      found.map(({ address }) => networkOf(plainAddress(address))),
    );
  }
}
