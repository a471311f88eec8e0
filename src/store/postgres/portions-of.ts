/** Rows that one statement of SQL reads or writes: enough that the way to the server and back hardly counts. */
const ROWS = 2_000;

/** Cuts a list into lists of at most so many items; nothing comes of an empty one. */
export function* portionsOf<T>(items: readonly T[], most = ROWS): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}

/** The values of rows, as a list for each column. */
export function columnsOf<T>(rows: readonly T[], ...names: readonly (keyof T)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}
