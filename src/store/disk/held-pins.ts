import { type Pin, type PinSubject, pinKey, shownPin } from '../../component/pin.js';
import { compareText } from '../../lib/compare-text.js';
import type { PinRequest, StoredPin } from '../../registry/pins.js';
import type { QuadStore } from './database/quad-store.js';

/** The pins in memory, as the disk has them. */
export class HeldPins {
  readonly #pins = new Map<string, StoredPin>();
  #changed = 0;

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
    this.delete(pin);
    this.#pins.set(pinKey(pin), pin);
    if (pin.changed !== undefined) this.#changed += 1;
  }

  delete(subject: PinSubject): void {
    const known = this.get(subject);
    if (known?.changed !== undefined) this.#changed -= 1;
    this.#pins.delete(pinKey(subject));
  }

  list({ after = '', changed = false, limit }: PinRequest): StoredPin[] {
    if (changed && this.#changed === 0) return [];
    return [...this.#pins]
      .filter(([key, pin]) => key > after && !(changed && pin.changed === undefined))
      .sort(([one], [other]) => compareText(one, other))
      .slice(0, limit)
      .map(([, pin]) => pin);
  }

  get counts(): { readonly all: number; readonly changed: number } {
    return { all: this.#pins.size, changed: this.#changed };
  }
}
