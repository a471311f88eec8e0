import { type Component, entriesOf } from './entry.js';

/** Bytes of a run, roughly: few enough to be copied for one change, and enough to be streamed well. */
const RUN_BYTES = 131_072;

/** Neighbouring components. Never changed, so that whoever holds a run holds a snapshot. */
export interface Run {
  readonly components: readonly Component[];
  readonly firstUri: string;
  /** A piece of the JSON listing as it goes over the wire: `,{…},{…}` with a comma before each object. */
  readonly piece: Buffer;
  /** The piece of a listing that begins with this run. */
  readonly withoutComma: Buffer;
}

/** Has the entries lie side by side: those that are served, then the others. They say the same as where they lay before. */
function runOf(components: readonly Component[], bytes: number): Run {
  const all = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const { served } of components) at += served.moveTo(all, at);
  const piece = all.subarray(0, at);
  for (const { shadowed } of components) for (const entry of shadowed) at += entry.moveTo(all, at);
  return { components, firstUri: components[0]?.uri ?? '', piece, withoutComma: piece.subarray(1) };
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
      this.runs.push(runOf(this.#pending.slice(from, at + 1), bytes));
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
