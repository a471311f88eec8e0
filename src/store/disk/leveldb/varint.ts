/** Reads numbers of variable length (seven bits in each byte, the lowest first) and what they are lengths of. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** @throws RangeError when the bytes end before, or for more than 2^53 */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new RangeError('cut off in the middle of a number');
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too large');
      if (byte < 0x80) return value;
    }
  }

  /** So many bytes, as a number in front says when no length is given. @throws RangeError when they are not there */
  bytes(length = this.number()): Uint8Array {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('cut off');
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }
}
