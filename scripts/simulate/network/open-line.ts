import type { Line, LineReader } from './wire.js';

/** A line as the one who sends on it has it. What is sent before it is read waits for its reader. */
export class OpenStream implements Line {
  readonly #left: () => void;
  #reader: LineReader | undefined;
  #waiting: Uint8Array[] = [];
  /** Has it ended, and is it broken? */
  #end: { readonly isBroken: boolean } | undefined;

  /** @param left called when the reader ends it, and not when the sender does */
  constructor(left: () => void) {
    this.#left = left;
  }

  open(reader: LineReader): () => void {
    this.#reader = reader;
    for (const bytes of this.#waiting) reader.piece(bytes);
    this.#waiting = [];
    if (this.#end) reader.ended(this.#end.isBroken);
    return () => {
      if (this.#end) return;
      this.#end = { isBroken: false };
      this.#left();
    };
  }

  send(bytes: Uint8Array): void {
    if (this.#end) return;
    if (this.#reader) this.#reader.piece(bytes);
    else this.#waiting.push(bytes);
  }

  end({ isBroken = false }: { readonly isBroken?: boolean } = {}): void {
    if (this.#end) return;
    this.#end = { isBroken };
    this.#reader?.ended(isBroken);
  }
}
