/** Repeatable chance (mulberry32): the same seed makes the same data on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks ranks from 0 to `size - 1`, the rank r with a probability in proportion to 1 / (r + 1) (Zipf's law). */
export function zipf(size: number, random: () => number): () => number {
  const cumulated = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank++) {
    sum += 1 / (rank + 1);
    cumulated[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((cumulated[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
