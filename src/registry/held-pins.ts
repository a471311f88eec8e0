import { type PinSubject, pinKey } from '../component/pin.js';
import type { StoredPin } from '../core/pins.js';
import { compareText } from '../lib/compare-text.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { PinRequest } from './pins.js';
import { pinRowKey } from './row-keys.js';

/** What has been seen of modules. */
export class HeldPins {
  /** By the keys of their rows. */
  readonly #pins = new Map<string, StoredPin>();
  #changed = 0;
  /** In the order of `pinKey`; made anew when there are others. */
  #sorted: readonly StoredPin[] | undefined;

  get(subject: PinSubject): StoredPin | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(pinRowKey(subject));
  }

  /** By the key of its row, which is all that is known of one that is gone. */
  at(key: string): StoredPin | undefined {
    return this.#pins.get(key);
  }

  set(key: string, pin: StoredPin | undefined): void {
    const before = this.#pins.get(key);
    if (before?.changedAt !== undefined) this.#changed -= 1;
    if (pin?.changedAt !== undefined) this.#changed += 1;
    if (pin) this.#pins.set(key, pin);
    else this.#pins.delete(key);
    this.#sorted = undefined;
  }

  list({ after = '', changed = false, limit }: PinRequest): StoredPin[] {
    if (changed && this.#changed === 0) return [];
    this.#sorted ??= [...this.#pins.values()].sort((one, other) => compareText(pinKey(one), pinKey(other)));
    const found: StoredPin[] = [];
    const from = lowerBound(this.#sorted, (pin) => pinKey(pin) > after);
    for (let at = from; at < this.#sorted.length && found.length < limit; at++) {
      const pin = this.#sorted[at];
      if (pin && (!changed || pin.changedAt !== undefined)) found.push(pin);
    }
    return found;
  }

  get counts(): { readonly all: number; readonly changed: number } {
    return { all: this.#pins.size, changed: this.#changed };
  }
}
