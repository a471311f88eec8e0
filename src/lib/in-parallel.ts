/** Runs a task for each item, so many at once. Rejects with the first task that does. */
export async function inParallel<T>(
  tasks: number,
  items: readonly T[],
  task: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: tasks }, worker));
}
