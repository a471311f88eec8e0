import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { Config } from '../config.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Registry } from '../registry/registry.js';

/** Components that come with the software, and what is served with them. */
export interface ComponentSet {
  readonly components: readonly Metadata[];
}

export interface ShownSetParts<T extends ComponentSet> {
  /** Under which the registry holds the components. */
  readonly source: Source;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'source'>;
  readonly write: Config['write'];
  /** Reads the set; undefined when this installation does not have it. */
  readonly load: () => Promise<T | undefined>;
  /** Puts back what visitors have changed. */
  readonly reset?: () => Promise<void>;
  /** Have visitors changed anything in it? */
  readonly isChanged?: (shown: T) => Promise<boolean>;
}

/**
 * Components that come with the software and are shown only while somebody wants them: the registry holds them as a source
 * of their own, so that they go as one and mix with nothing.
 */
export class ShownSet<T extends ComponentSet> {
  readonly #parts: ShownSetParts<T>;
  /** They are shown and removed one after the other. */
  readonly #turns = new KeyedMutex();
  #shown: T | undefined;

  constructor(parts: ShownSetParts<T>) {
    this.#parts = parts;
  }

  get shown(): T | undefined {
    return this.#shown;
  }

  /**
   * Shows the set after a start if the operator wants it, or if it was shown before and a request can remove it. Where
   * nobody may write, the operator alone decides.
   */
  async open(isWanted: boolean): Promise<void> {
    const { source, registry, write } = this.#parts;
    const wasShown = (await registry.source(source)) !== undefined;
    if (wasShown && (isWanted || write !== 'off')) await this.#show();
    else if (isWanted) await this.show();
    else if (wasShown) await this.remove();
  }

  /** Shows the set as it came; does nothing when it is shown. Resolves when that is on disk. */
  show(): Promise<void> {
    return this.#turns.run('turn', async () => {
      if (this.#shown) return;
      await this.#parts.reset?.();
      await this.#show();
    });
  }

  /** Would something be lost that visitors have changed, if the set was removed? */
  async isChanged(): Promise<boolean> {
    return this.#shown !== undefined && ((await this.#parts.isChanged?.(this.#shown)) ?? false);
  }

  /** Takes the set away, with all that was changed in its data. */
  remove(): Promise<void> {
    return this.#turns.run('turn', async () => {
      this.#shown = undefined;
      await this.#parts.registry.forget(this.#parts.source);
      await this.#parts.reset?.();
    });
  }

  async #show(): Promise<void> {
    const { source, registry, load } = this.#parts;
    const loaded = await load();
    // What an earlier installation has shown goes with the files.
    if (!loaded) return registry.forget(source);
    await registry.commit({
      source,
      documents: [{ url: source.url, components: loaded.components, record: {} }],
      record: (current) => current,
    });
    this.#shown = loaded;
  }
}
