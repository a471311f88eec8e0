import { type Pin, type PinSubject, pinKey } from '../../component/pin.js';
import { type ModuleStatement, pinOf, type StoredPin } from '../../core/pins.js';
import { compareText } from '../../lib/compare-text.js';
import { lowerBound } from '../../lib/lower-bound.js';
import type { PinRequest } from '../../registry/pins.js';
import type { QuadStore, Row } from './database/quad-store.js';

/** The pins in memory, as the disk has them. */
export class PinTable {
  readonly #pins = new Map<string, StoredPin>();
  #changed = 0;
  /** The keys in their order; made anew when there are others. */
  #keys: string[] | undefined;

  /**
   * The rows of release 0.1.0 (`pin`) are deleted: what a stranger promised could become such a pin, and nothing in it tells
   * that from bytes that were seen. The modules are looked at anew.
   */
  static async load(store: QuadStore): Promise<PinTable> {
    const held = new PinTable();
    for await (const [, pin] of store.rows<StoredPin>('seen')) held.put(pin);
    const outdated: Row[] = [];
    for await (const [key] of store.rows('pin')) outdated.push({ table: 'pin', key, value: undefined });
    if (outdated.length > 0) await store.write({ rows: outdated, durable: true });
    return held;
  }

  /** What readers of a statement about this version see. */
  of(subject: PinSubject, statement: ModuleStatement): Pin | undefined {
    return pinOf(this.get(subject), statement);
  }

  get(subject: PinSubject): StoredPin | undefined {
    return this.#pins.get(pinKey(subject));
  }

  put(pin: StoredPin): void {
    const [key, known] = [pinKey(pin), this.get(pin)];
    if (!known) this.#keys = undefined;
    if (known?.changedAt !== undefined) this.#changed -= 1;
    this.#pins.set(key, pin);
    if (pin.changedAt !== undefined) this.#changed += 1;
  }

  delete(subject: PinSubject): void {
    const known = this.get(subject);
    if (known?.changedAt !== undefined) this.#changed -= 1;
    if (this.#pins.delete(pinKey(subject))) this.#keys = undefined;
  }

  list({ after = '', changed = false, limit }: PinRequest): StoredPin[] {
    if (changed && this.#changed === 0) return [];
    this.#keys ??= [...this.#pins.keys()].sort(compareText);
    const keys = this.#keys;
    const found: StoredPin[] = [];
    for (let at = lowerBound(keys, (key) => key > after); at < keys.length && found.length < limit; at++) {
      const pin = this.#pins.get(keys[at] ?? '');
      if (pin && (!changed || pin.changedAt !== undefined)) found.push(pin);
    }
    return found;
  }

  get counts(): { readonly all: number; readonly changed: number } {
    return { all: this.#pins.size, changed: this.#changed };
  }
}
