/**
 * The results of a task for each item, in the order in which they come, so many under way at once. Another one begins only
 * when the result before it has been taken. Rejects with the first task that does, and begins no other.
 */
export async function* asTheyCome<T, R>(
  tasks: number,
  items: Iterable<T>,
  task: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const queue = items[Symbol.iterator]();
  const running = new Map<number, Promise<{ key: number; result: R }>>();
  let begun = 0;
  const begin = () => {
    const next = queue.next();
    if (next.done) return;
    const key = begun++;
    const promise = task(next.value).then((result) => ({ key, result }));
    // When another one rejects first, nobody waits for this one any more.
    promise.catch(() => undefined);
    running.set(key, promise);
  };
  while (begun < tasks) {
    const before = begun;
    begin();
    if (begun === before) break;
  }
  while (running.size > 0) {
    const { key, result } = await Promise.race(running.values());
    running.delete(key);
    yield result;
    begin();
  }
}
