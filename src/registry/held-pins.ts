import { type PinSubject, pinKey } from '../component/pin.js';
import type { StoredPin } from '../core/pins.js';
import { compareText } from '../lib/compare-text.js';
import { pinRowKey } from './row-keys.js';

/** Which pins are wanted: all of them, where nothing is named. */
export interface PinRequest {
  readonly uri?: string | undefined;
  /** Only those that had changed at the last look. */
  readonly changed?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** What has been seen of modules. */
export class HeldPins {
  /** By the keys of their rows. */
  readonly #pins = new Map<string, StoredPin>();

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
  }

  /** In the order of `pinKey`. */
  list({ uri, changed = false, limit }: PinRequest): StoredPin[] {
    const isAsked = (pin: StoredPin) =>
      (uri === undefined || pin.uri === uri) && (!changed || pin.changedAt !== undefined);
    const pins = [...this.#pins.values()].filter(isAsked);
    return pins.sort((one, other) => compareText(pinKey(one), pinKey(other))).slice(0, limit);
  }

  get counts(): { readonly all: number; readonly changed: number } {
    let changed = 0;
    for (const { changedAt } of this.#pins.values()) if (changedAt !== undefined) changed += 1;
    return { all: this.#pins.size, changed };
  }
}
