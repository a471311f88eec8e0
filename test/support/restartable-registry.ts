import type { ConfiguredSources } from '../../src/core/precedence.js';
import type { MemoryBackup } from '../../src/keep/memory/memory-keep.js';
import { withoutPause } from '../../src/lib/pace.js';
import { memoryData, memoryRegistry, type TestRegistry } from './registry.js';
import type { VirtualClock } from './virtual-clock.js';

/** Everything that a disk would hold. */
export type Backup = MemoryBackup;

export interface Restart {
  /** It begins with this instead of what it held. */
  readonly data?: Backup;
  /** Another configuration: sources have other ranks. */
  readonly order?: ConfiguredSources;
}

/** A registry on virtual time that can be restarted, and put back to what it was. */
export class RestartableRegistry {
  readonly #data = memoryData();
  #registry: TestRegistry | undefined;
  #order: ConfiguredSources;

  constructor(
    readonly clock: VirtualClock,
    order: ConfiguredSources,
  ) {
    this.#order = order;
  }

  get registry(): TestRegistry {
    if (!this.#registry) throw new Error('the registry has not been started');
    return this.#registry;
  }

  get backup(): Backup {
    return this.#data.backup();
  }

  async start({ data, order }: Restart = {}): Promise<void> {
    await this.stop();
    if (data) this.#data.restore(data);
    this.#order = order ?? this.#order;
    const options = { order: this.#order, clock: this.clock, pace: withoutPause };
    this.#registry = await memoryRegistry(options, this.#data);
  }

  async stop(): Promise<void> {
    await this.#registry?.close();
  }
}
