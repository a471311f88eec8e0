/** Cuts a list into lists of at most so many items; nothing comes of an empty one. */
export function* portionsOf<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}
