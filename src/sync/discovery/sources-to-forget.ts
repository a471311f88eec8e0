import { type Source, sourceKey } from '../../component/source.js';
import type { Clock } from '../../lib/clock.js';
import type { Registry } from '../../registry/registry.js';

export interface SourcesToForgetOptions {
  readonly registry: Pick<Registry, 'forget'>;
  readonly clock: Clock;
}

/** How long a start waits until they are forgotten, in ms; what is left then is forgotten while the node answers. */
const LONGEST_WAIT = 3_000;

/** Sources that do not belong to the node any more, until what they brought is forgotten. */
export class SourcesToForget {
  readonly #options: SourcesToForgetOptions;
  readonly #sources = new Map<string, Source>();
  readonly #stopping = new AbortController();

  constructor(options: SourcesToForgetOptions) {
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
  async waitFor(forgetting: Promise<void>): Promise<void> {
    const over = new AbortController();
    const wait = this.#options.clock.sleep(LONGEST_WAIT, over.signal);
    await Promise.race([forgetting, wait.catch(() => undefined)]);
    over.abort();
  }

  /** The rest is forgotten after the next start. */
  stop(): void {
    this.#stopping.abort(new Error('The node is stopping'));
  }
}
