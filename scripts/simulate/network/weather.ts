import type { Random } from '../../../src/lib/clock.js';

/** What becomes of an exchange: `lost` is never answered, `reset` loses its connection, `cut` comes in part. */
export type Fate = 'arrives' | 'lost' | 'reset' | 'cut';

/** How the virtual network treats what goes over it. */
export interface Weather {
  /** Ms from one host to another, one way. */
  latency(from: string, to: string): number;
  fate(from: string, to: string): Fate;
  /** Does nothing come through from one that asks to one that is asked? */
  separated(one: string, other: string): boolean;
  /** Bytes in a millisecond. */
  readonly bandwidth: number;
}

/** Ms that every way takes at least, and that it may take longer. */
const LATENCY = { least: 5, spread: 60 } as const;
/** 2 MB/s. */
const BANDWIDTH = 2000;

/** Parts of exchanges that go wrong, from 0 to 1. */
export interface Troubles {
  readonly lost: number;
  readonly reset: number;
  readonly cut: number;
}

export const NO_TROUBLES: Troubles = { lost: 0, reset: 0, cut: 0 };

/** Weather that faults can change. */
export class ChangingWeather implements Weather {
  readonly bandwidth = BANDWIDTH;
  readonly #random: Random;
  readonly #troubled = new Set<{ readonly host: string | undefined; readonly troubles: Troubles }>();
  /** Hosts that are cut off from all that are not in the same part. */
  readonly #islands = new Set<ReadonlySet<string>>();
  /** Hosts that get no answer from all that are not in the same part, and answer them. */
  readonly #unanswered = new Set<ReadonlySet<string>>();

  constructor(random: Random) {
    this.#random = random;
  }

  latency(): number {
    return LATENCY.least + Math.floor(this.#random() * LATENCY.spread);
  }

  fate(_: string, to: string): Fate {
    const { lost, reset, cut } = this.#troublesOf(to);
    if (lost + reset + cut === 0) return 'arrives';
    const drawn = this.#random();
    if (drawn < lost) return 'lost';
    if (drawn < lost + reset) return 'reset';
    return drawn < lost + reset + cut ? 'cut' : 'arrives';
  }

  /** Makes what goes to a host go wrong, or to all of them, until the function that it returns is called. */
  trouble(troubles: Troubles, host?: string): () => void {
    const place = { host, troubles };
    this.#troubled.add(place);
    return () => this.#troubled.delete(place);
  }

  separated(one: string, other: string): boolean {
    for (const island of this.#islands) if (island.has(one) !== island.has(other)) return true;
    for (const island of this.#unanswered) if (island.has(one) && !island.has(other)) return true;
    return false;
  }

  /** Cuts hosts off from the others, until the function that it returns is called. */
  cutOff(hosts: ReadonlySet<string>): () => void {
    this.#islands.add(hosts);
    return () => this.#islands.delete(hosts);
  }

  /** The same of what these hosts ask; what they are asked arrives. */
  cutOffOneWay(hosts: ReadonlySet<string>): () => void {
    this.#unanswered.add(hosts);
    return () => this.#unanswered.delete(hosts);
  }

  /** Those of the place where it is worst. */
  #troublesOf(to: string): Troubles {
    let worst = NO_TROUBLES;
    for (const { host, troubles } of this.#troubled) {
      const isHere = host === undefined || host === to;
      if (isHere && sum(troubles) > sum(worst)) worst = troubles;
    }
    return worst;
  }
}

function sum({ lost, reset, cut }: Troubles): number {
  return lost + reset + cut;
}
