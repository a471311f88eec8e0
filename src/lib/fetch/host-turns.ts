import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import { TokenBucket } from '../token-bucket.js';
import type { Hop } from './hop.js';
import { HostQueues, hostKey } from './host-queues.js';

/**
 * What a request waits for at its host. `named`: for a slot, and where strangers have named the URL, until the host has been
 * spared for long enough. `listed`: for a slot alone, because the host itself has named the URL. `none`: for nothing,
 * because it stays open, or because another request waits for it.
 */
export type Turn = 'named' | 'listed' | 'none';

/** What strangers name of one host is asked for at most so many times at once, and then once in so many ms. */
const SPARED = { burst: 60, each: 1000 } as const;
/** Hosts of which it is remembered how often they were asked: more than sources may be learned. */
const REMEMBERED = 10_000;

/** Bounds what this node asks of one host, whoever named its URLs: how much at once, and for strangers how often. */
export class HostTurns {
  readonly #slots: HostQueues;
  readonly #clock: Clock;
  /** By host. */
  readonly #asked = new LRUCache<string, TokenBucket>({ max: REMEMBERED });

  constructor(perHost: number, clock: Clock) {
    this.#slots = new HostQueues(perHost);
    this.#clock = clock;
  }

  /**
   * Resolves with what gives the slot back, when it is the request's turn. It may be called more than once.
   * @throws the reason of the signal
   */
  async enter({ url, trust }: Hop, turn: Turn, signal: AbortSignal | undefined): Promise<() => void> {
    if (turn === 'none') return () => undefined;
    const leave = await this.#slot(url, trust, signal);
    if (trust === 'configured' || turn === 'listed') return leave;
    try {
      await this.#spare(hostKey(url), signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #slot(url: URL, trust: Hop['trust'], signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const occupied = () => new Promise<void>((leave) => resolve(leave));
      this.#slots.run(url.href, occupied, trust, signal).catch(reject);
    });
  }

  /** A host has two turns at a time, one of them for learned URLs: so no other request waits here for the same host. */
  async #spare(host: string, signal: AbortSignal | undefined): Promise<void> {
    const asked = this.#asked.get(host) ?? new TokenBucket(SPARED.burst, SPARED.each);
    this.#asked.set(host, asked);
    const wait = asked.take(this.#clock.now());
    if (wait > 0) await this.#clock.sleep(wait, signal);
  }
}
