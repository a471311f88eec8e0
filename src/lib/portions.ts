/** How much is handed over at a time: copying it takes the receiver less than a millisecond. */
const PORTION = { items: 100, characters: 50_000 };

/** Cuts a list into portions that are small in number and in length; an item longer than that is a portion alone. */
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
