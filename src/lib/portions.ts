/** Largest portion: a thread copies it in less than a millisecond. */
const PORTION = { items: 100, characters: 50_000 };

/** Cuts a list into portions of limited number and length; an item that is longer is a portion of its own. */
export function* portions<T>(items: Iterable<T>, lengthOf: (item: T) => number): Generator<T[]> {
  let portion: T[] = [];
  let characters = 0;
  for (const item of items) {
    const length = lengthOf(item);
    if (portion.length > 0 && (portion.length >= PORTION.items || characters + length > PORTION.characters)) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(item);
    characters += length;
  }
  if (portion.length > 0) yield portion;
}
