import type { Naming } from '../component/naming.js';
import type { Precedence } from '../core/precedence.js';
import type { Clock, Random } from '../lib/clock.js';
import type { Pace } from '../lib/pace.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { SharedPolls } from '../registry/shared-polls.js';

/** What an engine needs to know before it can answer. */
export interface LoadOptions extends Naming {
  readonly precedence: Precedence;
  /**
   * Whatever else decides what the same descriptions look like to readers: the order of sources, say. When it
   * or the naming differs from the last start, the revision moves, because answers have changed.
   */
  readonly servedAs: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly pace: Pace;
  readonly log: StoreLog;
  /** Told how many statements have been read, of how many, while reading them takes its time. */
  readonly onProgress?: ((read: number, of: number) => void) | undefined;
}

/** Where an engine tells of what an operator should know. */
export interface StoreLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Why nothing can be stored at present. */
export interface StorageTrouble {
  /** Since when, ms since the epoch. */
  readonly since: number;
  readonly error: string;
  /** What was stored cannot be read either, but for what is in memory. */
  readonly isUnreadable?: boolean;
}

/** An engine whose data is at hand and has not been read yet: nobody else can open the same data meanwhile. */
export interface RegistryStore {
  /** Reads everything. To be called once. @throws UnusableData */
  load(options: LoadOptions): Promise<OpenRegistry>;
  /** What nodes tell one another that share the data; absent where it belongs to one node. */
  readonly shared?: SharedPolls;
  /** Undefined while everything can be stored. */
  readonly trouble: StorageTrouble | undefined;
  /** Lets go of the data; may be called at any time, and more than once. */
  close(): Promise<void>;
}
