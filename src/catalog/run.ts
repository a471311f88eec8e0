import { type Component, entriesOf } from './entry.js';

/** Bytes of a run, roughly: few enough to be copied for one change, and enough to be streamed well. */
const RUN_BYTES = 131_072;

/**
 * Neighbouring components and their bytes: first a piece of the JSON listing as it goes over the wire, `,{…},{…}` with a comma
 * before each object, then the objects that are not served. Never changed, so that whoever holds a run holds a snapshot. Entries
 * lie in the run that was made last, with the same bytes as in those before.
 */
export class Run {
  readonly components: readonly Component[];
  readonly bytes: Buffer;
  /** The piece of the listing. */
  readonly piece: Buffer;
  /** The piece of a listing that begins with this run. */
  readonly withoutComma: Buffer;

  /** @param bytes how many the components have: see `bytesOf` */
  constructor(components: readonly Component[], bytes: number) {
    this.components = components;
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    let at = 0;
    const place = (entry: Component['served']) => {
      const length = entry.copyTo(this.bytes, at);
      entry.moveTo(this.bytes, at + 1);
      at += length;
    };
    for (const { served } of components) place(served);
    this.piece = this.bytes.subarray(0, at);
    this.withoutComma = this.piece.subarray(1);
    for (const { shadowed } of components) for (const entry of shadowed) place(entry);
  }

  get firstUri(): string {
    return this.components[0]?.uri ?? '';
  }
}

/** How many runs' worth of components are gathered before they are written. */
const GATHERED = 2;

/** Divides components, which come in the order of their uris, into runs. */
export class RunWriter {
  readonly runs: Run[] = [];
  #pending: Component[] = [];
  #bytes = 0;

  /** Is there too little for a run of its own? */
  get isSmall(): boolean {
    return this.#bytes > 0 && this.#bytes < RUN_BYTES / 4;
  }

  add(component: Component): void {
    this.#pending.push(component);
    this.#bytes += bytesOf(component);
    if (this.#bytes >= GATHERED * RUN_BYTES) this.end();
  }

  /** Takes a run over as it is. */
  take(run: Run): void {
    this.end();
    this.runs.push(run);
  }

  /** Writes what is gathered. A little more than one run is no reason for two, of which the second would be small. */
  end(): void {
    const share = this.#bytes / Math.max(Math.floor(this.#bytes / RUN_BYTES), 1);
    let [from, bytes] = [0, 0];
    for (const [at, component] of this.#pending.entries()) {
      bytes += bytesOf(component);
      if (bytes < share && at < this.#pending.length - 1) continue;
      this.runs.push(new Run(this.#pending.slice(from, at + 1), bytes));
      [from, bytes] = [at + 1, 0];
    }
    this.#pending = [];
    this.#bytes = 0;
  }
}

/** With the commas. */
function bytesOf(component: Component): number {
  return entriesOf(component).reduce((sum, { length }) => sum + length + 1, 0);
}
