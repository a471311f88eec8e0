import type { Body } from './body.js';

/** Bytes that are handed to a connection at a time. */
const PIECE = 65_536;

/** Bodies that are being sent, each of them perhaps to many readers. It counts what the slow ones among these keep in memory. */
export class SharedBodies {
  readonly #readers = new Map<Uint8Array, number>();
  #bytes = 0;

  /** Bytes of the bodies of which not everything has been sent; a body counts once. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A body for one reader; a short one counts for nothing. */
  send(body: Uint8Array): Body {
    if (body.length <= PIECE) return body;
    this.#count(body, 1);
    return { bytes: body.length, [Symbol.asyncIterator]: () => this.#pieces(body) };
  }

  #count(body: Uint8Array, change: 1 | -1): void {
    const before = this.#readers.get(body) ?? 0;
    const after = before + change;
    if (before === 0) this.#bytes += body.length;
    if (after > 0) this.#readers.set(body, after);
    else if (this.#readers.delete(body)) this.#bytes -= body.length;
  }

  /** Not a generator: one that has not begun does not notice that its reader has gone. */
  #pieces(body: Uint8Array): AsyncIterator<Uint8Array> {
    let at = 0;
    let isOpen = true;
    const end = async (): Promise<IteratorResult<Uint8Array>> => {
      if (isOpen) this.#count(body, -1);
      isOpen = false;
      return { done: true, value: undefined };
    };
    return {
      next: async () => {
        if (at >= body.length) return end();
        const value = body.subarray(at, at + PIECE);
        at += PIECE;
        return { done: false, value };
      },
      return: end,
    };
  }
}
