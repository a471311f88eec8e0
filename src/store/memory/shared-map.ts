/** A map up to this size is copied with each change: that takes less memory, and no more time than matters. */
const SMALL = 256;

/** A map with these changes; `undefined` removes an entry. Neither map may be changed any more. */
export function changedMap<Key, Value extends object>(
  map: ReadonlyMap<Key, Value>,
  changes: ReadonlyMap<Key, Value | undefined>,
): ReadonlyMap<Key, Value> {
  if (changes.size === 0) return map;
  if (map.size > SMALL) return SharedMap.of(map).with(changes);
  const copy = new Map(map);
  for (const [key, value] of changes) {
    if (value === undefined) copy.delete(key);
    else copy.set(key, value);
  }
  return copy;
}

/** How many entries are copied for each change at least, and at most as a share of all. */
const COPIED = { least: 256, share: 1 / 8 };

/**
 * A map that is never changed. A changed copy shares most of it: it takes time for what differs, and only now and then for
 * everything.
 */
export class SharedMap<Key, Value extends object> implements ReadonlyMap<Key, Value> {
  readonly size: number;
  readonly #shared: ReadonlyMap<Key, Value>;
  /** What is not as in the shared map; `undefined` where it is gone. */
  readonly #differing: ReadonlyMap<Key, Value | undefined>;

  private constructor(
    shared: ReadonlyMap<Key, Value>,
    differing: ReadonlyMap<Key, Value | undefined>,
    size: number,
  ) {
    this.#shared = shared;
    this.#differing = differing;
    this.size = size;
  }

  /** The map must not be changed any more. */
  static of<Key, Value extends object>(map: ReadonlyMap<Key, Value>): SharedMap<Key, Value> {
    return map instanceof SharedMap ? map : new SharedMap(map, new Map<Key, Value | undefined>(), map.size);
  }

  /** A copy with these changes; `undefined` removes an entry. */
  with(changes: ReadonlyMap<Key, Value | undefined>): SharedMap<Key, Value> {
    if (changes.size === 0) return this;
    let { size } = this;
    const differing = new Map(this.#differing);
    for (const [key, value] of changes) {
      size += Number(value !== undefined) - Number(this.has(key));
      differing.set(key, value);
    }
    const changed = new SharedMap(this.#shared, differing, size);
    const isMuch = differing.size > Math.max(COPIED.least, size * COPIED.share);
    return isMuch ? SharedMap.of(new Map(changed)) : changed;
  }

  get(key: Key): Value | undefined {
    return this.#differing.has(key) ? this.#differing.get(key) : this.#shared.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): Generator<[Key, Value], undefined> {
    for (const [key, shared] of this.#shared) {
      const value = this.#differing.has(key) ? this.#differing.get(key) : shared;
      if (value !== undefined) yield [key, value];
    }
    for (const [key, value] of this.#differing) {
      if (value !== undefined && !this.#shared.has(key)) yield [key, value];
    }
  }

  *keys(): Generator<Key, undefined> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): Generator<Value, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): Generator<[Key, Value], undefined> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }
}
