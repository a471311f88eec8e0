import { type Source, sourceKey } from '../../component/source.js';
import type { Clock } from '../../lib/clock.js';
import type { Registry } from '../../registry/registry.js';

export interface LeavingOptions {
  readonly registry: Pick<Registry, 'forget'>;
  readonly clock: Clock;
}

/** How long a start waits until they are forgotten, in ms: the rest of very much goes while the node answers. */
const PATIENCE = 3_000;

/** Sources that belong to the node no longer, until what they brought is forgotten. */
export class Leaving {
  readonly #options: LeavingOptions;
  readonly #sources = new Map<string, Source>();
  readonly #stopping = new AbortController();

  constructor(options: LeavingOptions) {
    this.#options = options;
  }

  add(source: Source): void {
    this.#sources.set(sourceKey(source), source);
  }

  /** They belong to the node again. */
  keep(keys: Iterable<string>): void {
    for (const key of keys) this.#sources.delete(key);
  }

  /** Forgets all of them, one after the other; `onEach` is told before. What fails is left for the next time. */
  async forgetAll(onEach: (source: Source) => void): Promise<void> {
    const { signal } = this.#stopping;
    for (const [key, source] of this.#sources) {
      if (signal.aborted) return;
      onEach(source);
      await this.#options.registry.forget(source, signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
      this.#sources.delete(key);
    }
  }

  /** Waits until all of them are forgotten, but not for long. */
  async atMost(forgetting: Promise<void>): Promise<void> {
    const over = new AbortController();
    const patience = this.#options.clock.sleep(PATIENCE, over.signal);
    await Promise.race([forgetting, patience.catch(() => undefined)]);
    over.abort();
  }

  /** The rest is forgotten after the next start. */
  stop(): void {
    this.#stopping.abort(new Error('The node is stopping'));
  }
}
