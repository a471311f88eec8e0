import type { Random } from '../../../src/lib/clock.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import type { MemoryData } from '../../../src/store/memory/memory-data.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import type { Life } from '../time/life.js';
import type { NodeClock } from '../time/node-clock.js';

/** What a node keeps its data in. It outlives the processes of the node. */
export interface Storage {
  /** What it holds now; never changed, so that whoever keeps it knows what it held. */
  readonly data: MemoryData;
  /** As a process opens it. */
  open(opener: Opener): RegistryStore;
  /** Makes a backup. The function puts it in the place of what there is then, while no process runs. */
  backup(): () => void;
  /** The database fails, and another server takes its place that lacks so many of the latest commits. */
  failOver?(lost: number): void;
  /** A state of which a process tells that was lost some time ago. */
  astray?(): string | undefined;
}

/** The process that opens a storage. */
export interface Opener {
  readonly life: Life;
  readonly clock: NodeClock;
  /** The true time, in virtual ms. */
  readonly now: () => number;
  readonly random: Random;
  /** Told in the middle of each write of documents. */
  readonly onWrite: () => void;
  /** Told of every commit of what the node has read. */
  readonly committed: (committed: Committed) => void;
}

/** What a node has committed of a source, and what was held before and is held now. */
export interface Committed {
  readonly change: SourceChange;
  readonly before: MemoryData;
  readonly after: MemoryData;
}
