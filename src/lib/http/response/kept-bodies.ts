/** Bytes of all bodies that are kept together, and of one. */
const BOUNDS = { all: 16_000_000, one: 131_072 } as const;

/** A body that can be made. */
export interface Writable {
  /** In bytes; not asked for where the body is there already. */
  readonly size: number;
  write(bytes: Uint8Array): void;
}

/** What is known of a body. */
interface Kept {
  /** How often it was asked for; in each period, what was before it counts half. */
  asked: number;
  period: number;
  bytes?: Uint8Array | undefined;
}

/** Requests for bodies in a period. */
const PERIOD = 10_000;
/** One body takes the memory of another one when it is asked for so many times as often: what comes by turns leaves it to each other. */
const FAR_MORE = 2;

/**
 * Bodies that are asked for often, ready to be sent, in bounded memory. To put a body together from pieces that lie anywhere
 * in the memory takes longer than to send it. A body is named by the object that it is made of, so that nothing has to be
 * thrown away when something else changes.
 */
export class KeptBodies {
  readonly #most: number;
  readonly #known = new WeakMap<object, Kept>();
  /** Those with bytes; the first one has waited longest for being compared with another one. */
  readonly #kept = new Set<Kept>();
  #bytes = 0;
  #requests = 0;

  constructor(most: number = BOUNDS.all) {
    this.#most = most;
  }

  /** The body that is made of an object, if it has been asked for before and there is memory for it. It must not be changed. */
  get(of: object, body: Writable): Uint8Array | undefined {
    this.#requests += 1;
    const known = this.#known.get(of);
    if (!known) {
      this.#known.set(of, { asked: 1, period: this.#period });
      return undefined;
    }
    known.asked = this.#frequency(known) + 1;
    return known.bytes ?? this.#keep(known, body);
  }

  #keep(known: Kept, body: Writable): Uint8Array | undefined {
    const { size } = body;
    if (size > BOUNDS.one || !this.#hasRoom(known, size)) return undefined;
    // Not from the pool of Node.js, whose pieces keep each other in memory.
    known.bytes = Buffer.allocUnsafeSlow(size);
    body.write(known.bytes);
    this.#kept.add(known);
    this.#bytes += size;
    return known.bytes;
  }

  get #period(): number {
    return Math.floor(this.#requests / PERIOD);
  }

  #frequency(kept: Kept): number {
    if (kept.period < this.#period) {
      kept.asked /= 2 ** (this.#period - kept.period);
      kept.period = this.#period;
    }
    return kept.asked;
  }

  /** Takes memory from bodies that are asked for far less often. */
  #hasRoom({ asked }: Kept, size: number): boolean {
    for (const other of this.#kept) {
      if (this.#bytes + size <= this.#most) break;
      this.#kept.delete(other);
      if (this.#frequency(other) * FAR_MORE >= asked) {
        this.#kept.add(other);
        return false;
      }
      this.#bytes -= other.bytes?.length ?? 0;
      other.bytes = undefined;
    }
    return this.#bytes + size <= this.#most;
  }
}
