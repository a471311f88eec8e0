import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import { type Source, sourceKey } from '../component/source.js';
import { allowance, difference, isWithin, larger, NOTHING, sum } from '../core/limits.js';
import type { Amount } from '../core/reading.js';
import type { Trust } from '../lib/fetch/hop.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';

export interface RoomLimits {
  /** Components kept of one source. */
  readonly maxComponents: number;
  /** Components kept of all learned sources together. */
  readonly maxLearnedComponents: number;
}

/** How much is stored of each source, and how much may be: of one, and of all learned ones together. */
export class Room {
  readonly #limits: RoomLimits;
  readonly #stored = new Map<string, { trust: Trust; amount: Amount }>();
  readonly #mutex = new KeyedMutex();

  constructor(limits: RoomLimits) {
    this.#limits = limits;
  }

  /** Notes what is stored of a source. */
  set(source: Source, trust: Trust, amount: Amount): void {
    this.#stored.set(sourceKey(source), { trust, amount });
  }

  delete(source: Source): void {
    this.#stored.delete(sourceKey(source));
  }

  /** How much of the source may be stored in all. */
  limit(source: Source): Amount {
    const own = allowance(this.#limits.maxComponents);
    const key = sourceKey(source);
    if (this.#stored.get(key)?.trust !== 'learned') return own;
    let others = NOTHING;
    for (const [one, { trust, amount }] of this.#stored)
      if (one !== key && trust === 'learned') others = sum(others, amount);
    const left = larger(difference(allowance(this.#limits.maxLearnedComponents), others), NOTHING);
    return {
      components: Math.min(own.components, left.components),
      bytes: Math.min(own.bytes, left.bytes),
    };
  }

  /** Decides one after another what has room: who comes second knows what the first one takes. */
  decide<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run('', task);
  }
}

/** What one component takes. */
export function roomFor(component: Metadata): Amount {
  return { components: 1, bytes: sizeOf(component) };
}

/** With less than this part of its bytes left, or with fewer bytes than these, a source is full: nothing new of it is read. */
const FULL = { part: 1 / 16, bytes: 4_096 } as const;

/** How much more a reader may hold of what it reads. */
export class RoomLeft {
  #left: Amount;
  readonly #fullAt: number;

  /** @param most that there is room for when nothing is held */
  constructor(left: Amount, most = left) {
    this.#left = left;
    this.#fullAt = Math.max(most.bytes * FULL.part, FULL.bytes);
  }

  /** Is there no room worth speaking of? */
  get isFull(): boolean {
    return this.#left.components < 1 || this.#left.bytes < this.#fullAt;
  }

  /** True, and less is left, when there is room for this. */
  admits(amount: Amount): boolean {
    const isAdmitted = isWithin(amount, this.#left);
    if (isAdmitted) this.hold(amount);
    return isAdmitted;
  }

  /** Holds this, whether or not there is room for it. */
  hold(amount: Amount): void {
    this.#left = difference(this.#left, amount);
  }

  release(amount: Amount): void {
    this.#left = sum(this.#left, amount);
  }
}
