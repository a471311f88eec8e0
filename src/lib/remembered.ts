/** Where values are found again: a `Map`, or a `WeakMap` by objects, with which they go. */
interface Known<K, V> {
  has(key: K): boolean;
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** A function that works out each of its values once. */
export function remembered<K, V>(of: (key: K) => V, known: Known<K, V> = new Map<K, V>()): (key: K) => V {
  return (key) => {
    if (!known.has(key)) known.set(key, of(key));
    return known.get(key) as V;
  };
}
