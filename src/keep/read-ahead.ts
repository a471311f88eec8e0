/**
 * Rows in portions, of which there is at least one. The next one is read while the consumer works on this one, and a failure is
 * thrown when it asks.
 * @param read the entries behind one, or the first ones
 * @param least there is nothing behind a portion of fewer entries
 * @param rowOf undefined for an entry behind those that are wanted
 */
export async function* readAhead<E, R>(
  read: (last?: E) => Promise<readonly E[]>,
  least: number,
  rowOf: (entry: E) => R | undefined,
): AsyncGenerator<R[]> {
  let reading: Promise<readonly E[]> | undefined = read();
  for (let isFirst = true; reading; isFirst = false) {
    const entries: readonly E[] = await reading;
    const rows = entries.map(rowOf).filter((row) => row !== undefined);
    reading = entries.length < least || rows.length < entries.length ? undefined : read(entries.at(-1));
    // The consumer may have enough before it asks.
    reading?.catch(() => undefined);
    if (rows.length > 0 || isFirst) yield rows;
  }
}
