/**
 * Reads the values of some request headers, in the order of their names, from `rawHeaders` of Node.js (names and
 * values in turn): the parsed form of all headers would cost more than most answers.
 */
export type HeaderReader = (rawHeaders: readonly string[]) => VariedValues | undefined;

export type VariedValues = readonly (string | undefined)[];

/** A reader for these names, in lower case. It returns undefined for requests that repeat one of them. */
export function headerReader(names: readonly string[]): HeaderReader {
  const indexes = new Map(names.map((name, index) => [name, index]));
  const lengths = new Set(names.map(({ length }) => length));
  return (rawHeaders) => {
    const values: (string | undefined)[] = names.map(() => undefined);
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i] as string;
      const index = lengths.has(name.length) ? indexes.get(name.toLowerCase()) : undefined;
      if (index === undefined) continue;
      if (values[index] !== undefined) return undefined;
      values[index] = rawHeaders[i + 1] as string;
    }
    return values;
  };
}

export function sameValues(one: VariedValues, other: VariedValues): boolean {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
