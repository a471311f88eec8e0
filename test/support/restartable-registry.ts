import type { Precedence } from '../../src/core/precedence.js';
import { withoutPause } from '../../src/lib/pace.js';
import { createMemoryStore, type MemoryStore } from '../../src/store/memory/memory-store.js';
import { diskEngine, type Engine } from './engines.js';
import { registryOptions, TestRegistry } from './registry.js';
import type { VirtualClock } from './virtual-clock.js';

/** Everything that a disk would hold. */
export type Backup = MemoryStore['data'];

export interface Restart {
  /** It begins with this instead of what it held. */
  readonly data?: Backup;
  /** Another configuration: sources have other ranks. */
  readonly precedence?: Precedence;
}

/** A registry on virtual time that can be restarted, and put back to what it was. */
export class RestartableRegistry {
  #store = createMemoryStore();
  #registry: TestRegistry | undefined;
  #precedence: Precedence;
  #starts = 0;

  constructor(
    readonly clock: VirtualClock,
    precedence: Precedence,
    /** In place of the engine in memory; there are no backups of it. */
    readonly engine?: Engine,
  ) {
    this.#precedence = precedence;
  }

  /** With the disk engine, its database in memory. */
  static async onDisk(clock: VirtualClock, precedence: Precedence): Promise<RestartableRegistry> {
    return new RestartableRegistry(clock, precedence, await diskEngine('memory')());
  }

  get registry(): TestRegistry {
    if (!this.#registry) throw new Error('the registry has not been started');
    return this.#registry;
  }

  get backup(): Backup {
    return this.#store.data;
  }

  async start({ data, precedence }: Restart = {}): Promise<void> {
    await this.#registry?.close();
    if (data) this.#store = createMemoryStore(data);
    this.#precedence = precedence ?? this.#precedence;
    this.#starts += 1;
    // Another life, if it begins with nothing.
    const random = () => (this.#starts * 0.137) % 1;
    const options = { precedence: this.#precedence, clock: this.clock, random, pace: withoutPause };
    this.#registry = this.engine
      ? await this.engine.open(options)
      : new TestRegistry(await this.#store.load(registryOptions(options)));
  }

  async stop(): Promise<void> {
    await this.#registry?.close();
    await this.engine?.remove();
  }
}
