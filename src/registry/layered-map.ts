import type { Breather } from '../lib/pace.js';

/** A map is copied once it has more changes than 64 plus a sixteenth of the number of items beneath them. */
const FEW = { changes: 64, part: 1 / 16 } as const;

/**
 * A map that is never changed: a change makes another one, which has the items of this one beneath it, and is
 * copied only when it has become large in its turn. So a few changes of a large map are cheap.
 */
export class LayeredMap<V> implements ReadonlyMap<string, V> {
  readonly #beneath: ReadonlyMap<string, V>;
  /** Undefined for what is there no more. */
  readonly #changes: ReadonlyMap<string, V | undefined>;
  readonly size: number;

  constructor(
    beneath: ReadonlyMap<string, V> = new Map(),
    changes: ReadonlyMap<string, V | undefined> = new Map(),
  ) {
    this.#beneath = beneath;
    this.#changes = changes;
    let { size } = beneath;
    for (const [key, value] of changes) size += Number(value !== undefined) - Number(beneath.has(key));
    this.size = size;
  }

  get(key: string): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#beneath.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[key: string, value: V]> {
    for (const [key, beneath] of this.#beneath) {
      const value = this.#changes.has(key) ? this.#changes.get(key) : beneath;
      if (value !== undefined) yield [key, value];
    }
    for (const [key, value] of this.#changes)
      if (value !== undefined && !this.#beneath.has(key)) yield [key, value];
  }

  [Symbol.iterator](): MapIterator<[key: string, value: V]> {
    return this.entries();
  }

  *keys(): MapIterator<string> {
    for (const [key] of this) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this) yield value;
  }

  forEach(callback: (value: V, key: string, all: this) => void): void {
    for (const [key, value] of this) callback(value, key, this);
  }

  /** With what is under these keys from now on, nothing where it is undefined. Gives way to other work. */
  async changed(edits: ReadonlyMap<string, V | undefined>, breathe: Breather): Promise<LayeredMap<V>> {
    if (edits.size === 0) return this;
    const layered = new LayeredMap(this.#beneath, new Map([...this.#changes, ...edits]));
    if (layered.#changes.size <= FEW.changes + this.#beneath.size * FEW.part) return layered;
    const copy = new Map<string, V>();
    for (const [key, value] of layered) {
      copy.set(key, value);
      await breathe();
    }
    return new LayeredMap(copy);
  }
}
