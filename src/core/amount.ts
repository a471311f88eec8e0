/** How much is said, or may be. */
export interface Amount {
  readonly components: number;
  /** Of text, and of what is noted with it. */
  readonly bytes: number;
}

export const NOTHING: Amount = { components: 0, bytes: 0 };

function inEachRespect(of: (one: number, other: number) => number) {
  return (one: Amount, other: Amount): Amount => ({
    components: of(one.components, other.components),
    bytes: of(one.bytes, other.bytes),
  });
}

export const sum = inEachRespect((one, other) => one + other);
export const difference = inEachRespect((one, other) => one - other);
export const larger = inEachRespect(Math.max);
export const smaller = inEachRespect(Math.min);

/** Is one amount no more than another? */
export function isWithin(one: Amount, other: Amount): boolean {
  return one.components <= other.components && one.bytes <= other.bytes;
}
