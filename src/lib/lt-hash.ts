import { createHash } from 'node:crypto';

/** Numbers of 16 bits that a hash consists of. */
const LANES = 1024;
/** Hexadecimal digits of a digest: 128 bits. */
const DIGITS = 32;

/**
 * A hash of a multiset: what was added and not removed since, in whatever order. LtHash with 1,024 lanes of 16 bits, as
 * in "Securing Update Propagation with Homomorphic Hashing" (IACR ePrint 2019/227), over SHAKE128. Each change costs the
 * same, however large the set is, and the hash of two sets together is the sum of their hashes.
 */
export class LtHash {
  #count: number;

  private constructor(
    readonly lanes: Uint16Array,
    count: number,
  ) {
    this.#count = count;
  }

  static empty(): LtHash {
    return new LtHash(new Uint16Array(LANES), 0);
  }

  /** Reads back what `serialized` wrote; `undefined` for a text that it never writes. */
  static parse(text: string): LtHash | undefined {
    const [count = '', encoded = ''] = text.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    if (!/^\d+$/.test(count) || bytes.length !== LANES * 2) return undefined;
    return new LtHash(lanesOf(bytes).slice(), Number(count));
  }

  /** How many elements there are. */
  get count(): number {
    return this.#count;
  }

  add(element: string): void {
    this.include({ lanes: expanded(element), count: 1 });
  }

  remove(element: string): void {
    const lanes = expanded(element);
    for (let i = 0; i < LANES; i++) lanes[i] = -(lanes[i] as number);
    this.include({ lanes, count: -1 });
  }

  /** Adds every element of another multiset. */
  include({ lanes, count }: { readonly lanes: Uint16Array; readonly count: number }): void {
    const own = this.lanes;
    for (let i = 0; i < LANES; i++) own[i] = (own[i] as number) + (lanes[i] as number);
    this.#count += count;
  }

  copy(): LtHash {
    return new LtHash(this.lanes.slice(), this.#count);
  }

  /** 32 hexadecimal digits (128 bits), the same for the same multiset on every machine. */
  digest(): string {
    return createHash('sha256').update(this.#bytes()).digest('hex').slice(0, DIGITS);
  }

  serialized(): string {
    return `${this.#count} ${this.#bytes().toString('base64')}`;
  }

  /** The lanes themselves, to be read only: the lower byte comes first on all machines that Node.js is built for but one. */
  #bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.lanes;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}

function expanded(element: string): Uint16Array {
  const shake = createHash('shake128', { outputLength: LANES * 2 });
  return lanesOf(shake.update(element).digest());
}

/** Numbers of two bytes, the lower byte first. Small buffers are parts of a larger one, and may begin at an odd byte of it. */
function lanesOf(bytes: Buffer): Uint16Array {
  const { buffer, byteOffset } = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint16Array(buffer, byteOffset, LANES);
}
