import type { ListedAddress } from '../component/network-list.js';
import type { ListChecker } from './offer.js';
import { type Refusal, type Refusals, UNINTENDED } from './refusal.js';
import type { RefusalReason } from './take.js';

/** Refusals for each reason that are named; all are counted. */
const EXAMPLES = 50;

/** What one introducer lists, and what has become of it. */
interface Said {
  readonly list: readonly ListedAddress[];
  readonly checked: ListChecker;
  /** What is known now. */
  readonly known: readonly ListedAddress[];
  /** The most hops with which an entry is near enough. */
  readonly near: number;
}

/** Gathers what is refused of what peers say: each address once, for the first reason that is met. */
export class RefusalTally {
  readonly #seen = new Set<string>();
  readonly #counts = new Map<RefusalReason, number>();
  readonly #examples: Refusal[] = [];
  readonly #unintendedBy = new Map<string, number>();
  readonly #known = new Map<readonly ListedAddress[], ReadonlySet<string>>();

  /** Pauses after each address, so that the caller can let other work in between. */
  *take(
    kind: Refusal['kind'],
    { url: via }: ListedAddress,
    { list, checked, known, near }: Said,
  ): Generator<void> {
    const isKnown = this.#setOf(known);
    for (const { url, ...refused } of checked.refused(list)) {
      yield;
      this.#add({ url, kind, via, ...refused });
    }
    for (const { url } of checked.beyond(near, list)) {
      yield;
      if (!isKnown.has(url)) this.#add({ url, kind, via, reason: 'beyond-depth' });
    }
    for (let hops = 0; hops <= near; hops++) {
      for (const { url } of checked.at(hops, list)?.inOrder ?? []) {
        yield;
        if (!isKnown.has(url)) this.#add({ url, kind, via, reason: 'over-cap' });
      }
    }
  }

  result(): Refusals {
    return {
      counts: Object.fromEntries(this.#counts),
      examples: this.#examples,
      unintendedBy: Object.fromEntries(this.#unintendedBy),
    };
  }

  #add(refusal: Refusal): void {
    const key = `${refusal.kind} ${refusal.url}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const count = (this.#counts.get(refusal.reason) ?? 0) + 1;
    this.#counts.set(refusal.reason, count);
    if (count <= EXAMPLES) this.#examples.push(refusal);
    const { via, reason } = refusal;
    if (UNINTENDED.includes(reason)) this.#unintendedBy.set(via, (this.#unintendedBy.get(via) ?? 0) + 1);
  }

  #setOf(known: readonly ListedAddress[]): ReadonlySet<string> {
    const set = this.#known.get(known) ?? new Set(known.map(({ url }) => url));
    this.#known.set(known, set);
    return set;
  }
}
