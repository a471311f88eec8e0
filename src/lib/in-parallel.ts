/** Runs a task for each item, so many at once. When one of them has rejected, it rejects with that once none is under way any more. */
export async function inParallel<T>(
  tasks: number,
  items: readonly T[],
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await task(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: tasks }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
