/** Bytes of pages that are being made and sent, about; when there are more, new pages are made shorter. */
const UNSENT_BYTES = 32_000_000;
/** Bytes of one page, about: at most, so that the response cache keeps it, and at least when memory is short. */
const PAGE_BYTES = { most: 900_000, least: 65_536 } as const;

/**
 * Pages that have not been sent completely, each of them perhaps to many readers. Slow readers that ask for ever other pages cannot
 * fill the memory: pages get shorter meanwhile, and followers follow more links.
 */
export class UnsentPages {
  readonly #readers = new Map<Uint8Array, number>();
  #bytes = 0;

  /** Makes a page of so many bytes at most, about. */
  async make<T>(make: (maxBytes: number) => Promise<T>): Promise<T> {
    const free = (UNSENT_BYTES - this.#bytes) / 4;
    const bytes = Math.floor(Math.min(Math.max(free, PAGE_BYTES.least), PAGE_BYTES.most));
    this.#bytes += bytes;
    try {
      return await make(bytes);
    } finally {
      this.#bytes -= bytes;
    }
  }

  /** Counts a page for one more reader; it counts once. @returns to be called once, when this reader has it or has gone */
  hold(page: Uint8Array): () => void {
    this.#count(page, 1);
    return () => this.#count(page, -1);
  }

  #count(page: Uint8Array, change: 1 | -1): void {
    const before = this.#readers.get(page) ?? 0;
    const after = before + change;
    if (before === 0) this.#bytes += page.length;
    if (after > 0) this.#readers.set(page, after);
    else if (this.#readers.delete(page)) this.#bytes -= page.length;
  }
}
