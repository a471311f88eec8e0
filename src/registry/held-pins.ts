import { type PinSubject, pinKey } from '../component/pin.js';
import type { StoredPin } from '../core/pins.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { pinRowKey } from './row-keys.js';

/** Which pins are wanted, in the order of `pinKey`. */
export interface PinRequest {
  /** Only pins whose `pinKey` is greater. */
  readonly after?: string | undefined;
  /** Only those that had changed at the last look. */
  readonly changed?: boolean | undefined;
  readonly limit: number;
}

/** What has been seen of modules. */
export class HeldPins {
  /** By the keys of their rows. */
  readonly #pins = new Map<string, StoredPin>();
  /** Those of modules that have changed, which are asked for much more often. */
  readonly #changed = new Map<string, StoredPin>();
  /** In the order of `pinKey`; another object when there are others. */
  #sorted: { all?: readonly StoredPin[]; changed?: readonly StoredPin[] } = {};

  get(subject: PinSubject): StoredPin | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(pinRowKey(subject));
  }

  /** By the key of its row, which is all that is known of one that is gone. */
  at(key: string): StoredPin | undefined {
    return this.#pins.get(key);
  }

  set(key: string, pin: StoredPin | undefined): void {
    if (pin) this.#pins.set(key, pin);
    else this.#pins.delete(key);
    if (pin?.changedAt !== undefined) this.#changed.set(key, pin);
    else this.#changed.delete(key);
    this.#sorted = {};
  }

  /** Gives way to other work. */
  async list({ after = '', changed = false, limit }: PinRequest, breathe: Breather): Promise<StoredPin[]> {
    const sorted = this.#sorted;
    const [which, pins] = changed ? (['changed', this.#changed] as const) : (['all', this.#pins] as const);
    const list = sorted[which] ?? (await sortedBy([...pins.values()], pinKey, breathe));
    sorted[which] = list;
    const from = lowerBound(list, (pin) => pinKey(pin) > after);
    return list.slice(from, from + limit);
  }

  get counts(): { readonly all: number; readonly changed: number } {
    return { all: this.#pins.size, changed: this.#changed.size };
  }
}
