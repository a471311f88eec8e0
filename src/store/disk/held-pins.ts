import { type Pin, type PinSubject, pinKey, shownPin } from '../../component/pin.js';
import { compareText } from '../../lib/compare-text.js';
import type { PinRequest, StoredPin } from '../../registry/pins.js';
import type { QuadStore } from './database/quad-store.js';
import { lowerBound } from './listing/listing.js';

/** The pins in memory, as the disk has them. */
export class HeldPins {
  readonly #pins = new Map<string, StoredPin>();
  #changed = 0;
  /** The keys in their order; made anew when there are others. */
  #keys: string[] | undefined;

  static async load(store: QuadStore): Promise<HeldPins> {
    const held = new HeldPins();
    for await (const [, pin] of store.rows<StoredPin>('pin')) held.put(pin);
    return held;
  }

  /** What readers see of it. */
  readonly of = (subject: PinSubject): Pin | undefined => {
    const pin = this.get(subject);
    return pin && shownPin(pin);
  };

  get(subject: PinSubject): StoredPin | undefined {
    return this.#pins.get(pinKey(subject));
  }

  put(pin: StoredPin): void {
    const [key, known] = [pinKey(pin), this.get(pin)];
    if (!known) this.#keys = undefined;
    if (known?.changed !== undefined) this.#changed -= 1;
    this.#pins.set(key, pin);
    if (pin.changed !== undefined) this.#changed += 1;
  }

  delete(subject: PinSubject): void {
    const known = this.get(subject);
    if (known?.changed !== undefined) this.#changed -= 1;
    if (this.#pins.delete(pinKey(subject))) this.#keys = undefined;
  }

  list({ after = '', changed = false, limit }: PinRequest): StoredPin[] {
    if (changed && this.#changed === 0) return [];
    this.#keys ??= [...this.#pins.keys()].sort(compareText);
    const keys = this.#keys;
    const found: StoredPin[] = [];
    for (let at = lowerBound(keys, (key) => key > after); at < keys.length && found.length < limit; at++) {
      const pin = this.#pins.get(keys[at] ?? '');
      if (pin && (!changed || pin.changed !== undefined)) found.push(pin);
    }
    return found;
  }

  get counts(): { readonly all: number; readonly changed: number } {
    return { all: this.#pins.size, changed: this.#changed };
  }
}
