import { createHash } from 'node:crypto';
import type { NetworkObserver, Traffic } from '../network/hosts.js';
import type { WireRequest } from '../network/wire.js';

/** Lines that are gathered before they are hashed. */
const PORTION = 1000;

/** What happened, line by line. Two runs are the same when their logs have the same hash. */
export class RunLog implements NetworkObserver {
  readonly #hash = createHash('sha256');
  readonly #elapsed: () => number;
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #count = 0;

  /** `write` is given the log as it grows. */
  constructor(elapsed: () => number, write: (text: string) => void = () => undefined) {
    this.#elapsed = elapsed;
    this.#write = write;
  }

  get count(): number {
    return this.#count;
  }

  note(text: string): void {
    this.#count += 1;
    this.#lines.push(`${this.#elapsed()} ${text}\n`);
    if (this.#lines.length >= PORTION) this.flush();
  }

  /** Hexadecimal; nothing can be noted afterwards. */
  digest(): string {
    this.flush();
    return this.#hash.digest('hex');
  }

  dialled(): void {
    // The exchange tells it all.
  }

  exchanged({ request, to, status, bytes, error }: Traffic): void {
    const { from, method, target } = request;
    this.note(`${from} ${method} ${to}${target} ${status ?? error} ${bytes}`);
  }

  carried({ from, target }: WireRequest, bytes: number): void {
    this.note(`${from} hears ${bytes} bytes of ${target}`);
  }

  /** Writes what has been gathered. */
  flush(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#hash.update(text);
    this.#write(text);
  }
}
