/** Largest portion: a thread copies it in less than a millisecond. */
const PORTION = { items: 100, length: 50_000 };

/** Cuts a list into portions of limited number and length; an item that is longer is a portion of its own. */
export function* portions<T>(
  items: Iterable<T>,
  lengthOf: (item: T) => number,
  most = PORTION,
): Generator<T[]> {
  let portion: T[] = [];
  let total = 0;
  for (const item of items) {
    const length = lengthOf(item);
    if (portion.length > 0 && (portion.length >= most.items || total + length > most.length)) {
      yield portion;
      portion = [];
      total = 0;
    }
    portion.push(item);
    total += length;
  }
  if (portion.length > 0) yield portion;
}
