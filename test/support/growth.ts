/**
 * How many times as often items are looked at when there are twice as many of them: 2 where work is linear in them, 4 where it
 * goes through all of them for each.
 * @param work is given as many items as `itemsOf` makes, and may be called again
 */
export function growth<T extends object>(
  itemsOf: (count: number) => readonly T[],
  work: (items: readonly T[]) => void,
): number {
  const looksAt = (count: number) => {
    let looks = 0;
    const get = (item: T, key: PropertyKey) => {
      looks += 1;
      return Reflect.get(item, key);
    };
    work(itemsOf(count).map((item) => new Proxy(item, { get })));
    return looks;
  };
  return looksAt(400) / looksAt(200);
}
