import { sourceKey } from '../../../src/component/source.js';
import type { Head, Keep, Place, Row } from '../../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import type { Random } from '../../../src/lib/clock.js';
import type { NodeClock } from '../time/node-clock.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { SimulatedKeep } from './simulated-keep.js';
import { type Reading, Stored } from './stored.js';

/** How long it takes until another server takes writes, in ms. */
const FAILOVER = 8_000;

export interface StorageParts {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Do several processes share it, as a database? */
  readonly isShared: boolean;
  /** Told of a source of which an earlier reading was stored over a later one. */
  readonly overtaken: (source: string) => void;
}

/** The process that opens a storage. */
export interface Opener {
  readonly clock: NodeClock;
  /** Does it take time to ask the storage, in which a machine may break down, and may it be away? */
  readonly isSlow: boolean;
  /** Told in the middle of each write of documents. */
  readonly onWrite: () => void;
  /** Told of every commit of what the node has read. */
  readonly committed: (reading: Reading) => void;
}

/** What a node keeps its data in, in virtual time: a disk of its own, or a database. It outlives the processes of the node. */
export class Storage {
  readonly time: VirtualTime;
  readonly isShared: boolean;
  readonly #parts: StorageParts;
  readonly #memory: MemoryData;
  #stored = new Stored();
  /** By source (`sourceKey`): when the poll began that was stored last, in virtual ms. */
  #readings = new Map<string, number>();
  #failovers = 0;
  #awayUntil = 0;
  /** Since when it has the history that it has now. */
  #since = 0;

  constructor(parts: StorageParts) {
    const { time, random, isShared } = parts;
    this.time = time;
    this.isShared = isShared;
    this.#parts = parts;
    let drawn = 0;
    this.#memory = new MemoryData({
      clock: { now: () => time.now },
      unique: () => {
        drawn += 1;
        // The number makes it unique, whatever is drawn.
        return `${Math.floor(random() * 2 ** 32).toString(36)}z${drawn.toString(36)}`;
      },
    });
  }

  get stored(): Stored {
    return this.#stored;
  }

  get head(): Head {
    return this.#memory.service('registry').head;
  }

  /** How often another server has taken the place of the one before. */
  get failovers(): number {
    return this.#failovers;
  }

  /** Why nothing can be asked at present. */
  get trouble(): Keep['trouble'] {
    if (this.time.now >= this.#awayUntil) return undefined;
    return { kind: 'unreachable', since: this.#awayUntil - FAILOVER, error: 'the database is away' };
  }

  /** For how long it has been there with this history, in ms; negative while it is away. */
  get age(): number {
    return this.time.now - Math.max(this.#since, this.#awayUntil);
  }

  /** As a process opens it. */
  open(opener: Opener): Place {
    const { isShared } = this;
    const place = openMemory(this.#memory, { clock: opener.clock, isShared });
    const keep: Place['keep'] = async (name) => new SimulatedKeep(await place.keep(name), this, opener);
    return { isShared, keep, close: () => place.close() };
  }

  /** Makes a backup. The function puts it in the place of what there is then. */
  backup(): () => void {
    const [data, stored, readings] = [this.#memory.backup(), this.#stored.copy(), new Map(this.#readings)];
    return () => {
      this.#memory.restore(data);
      this.#stored = stored.copy();
      this.#readings = new Map(readings);
      this.#since = this.time.now;
    };
  }

  /** Another server takes its place, which has what there was at a backup; meanwhile there is none. */
  failOver(putBack: () => void): void {
    putBack();
    this.#failovers += 1;
    this.#awayUntil = this.time.now + FAILOVER;
  }

  /** Takes note of what a process has committed. `begun`: when it has last taken each source (`sourceKey`), in virtual ms. */
  committed(rows: readonly Row[], begun: ReadonlyMap<string, number>): Reading | undefined {
    const reading = this.#stored.apply(rows);
    if (!reading?.isOfDocuments) return reading;
    const key = sourceKey(reading.source);
    const [now, before = 0] = [begun.get(key), this.#readings.get(key)];
    if (now === undefined) return reading;
    if (now < before) this.#parts.overtaken(key);
    this.#readings.set(key, now);
    return reading;
  }
}
