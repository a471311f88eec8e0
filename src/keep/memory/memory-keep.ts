import type { Clock } from '../../lib/clock.js';
import { withoutPause } from '../../lib/pace.js';
import type { Keep, Place } from '../keep.js';
import { LocalKeep } from '../local/local-keep.js';
import {
  LocalService,
  type LocalServiceOptions,
  type LocalStore,
  type Step,
} from '../local/local-service.js';
import { MemoryStore } from './memory-store.js';

/** What the services had stored at some moment. */
export type MemoryBackup = ReadonlyMap<
  string,
  { readonly store: MemoryStore; readonly steps: readonly [Step, ...Step[]] }
>;

interface ServiceInMemory {
  readonly service: LocalService;
  /** Replaces what is stored. */
  readonly restore: (store: MemoryStore, steps: readonly [Step, ...Step[]]) => void;
  readonly copy: () => MemoryStore;
}

export type MemoryDataOptions = Omit<LocalServiceOptions, 'pace'>;

/**
 * What nodes share that run in one process, as others share a database: for the laboratory, rehearsals and tests. Nothing of it
 * outlives the process. `clock` is the time of the database.
 */
export class MemoryData {
  readonly #options: MemoryDataOptions;
  readonly #services = new Map<string, ServiceInMemory>();

  constructor(options: MemoryDataOptions) {
    this.#options = options;
  }

  service(name: string): LocalService {
    const known = this.#services.get(name);
    if (known) return known.service;
    const made = serviceInMemory(this.#options);
    this.#services.set(name, made);
    return made.service;
  }

  backup(): MemoryBackup {
    return new Map(
      [...this.#services].map(([name, { service, copy }]) => [name, { store: copy(), steps: service.steps }]),
    );
  }

  /** Everything that has been committed since the backup is lost, as when the backup of a database is restored. */
  restore(backup: MemoryBackup): void {
    for (const name of backup.keys()) this.service(name);
    for (const [name, { restore }] of this.#services) {
      const { store, steps } = backup.get(name) ?? empty(this.#options);
      restore(store.copy(), steps);
    }
  }
}

function empty({ unique }: MemoryDataOptions) {
  const head = { epoch: unique(), version: 0, mark: unique() };
  return { store: new MemoryStore(head), steps: [{ head, keys: [] }] as [Step] };
}

function serviceInMemory(options: MemoryDataOptions): ServiceInMemory {
  const { store: made, steps: first } = empty(options);
  let store = made;
  const present: LocalStore = {
    trouble: undefined,
    write: (writes, head) => store.write(writes, head),
    rows: (...asked) => store.rows(...asked),
    get: (...asked) => store.get(...asked),
    quads: (...asked) => store.quads(...asked),
  };
  const service = new LocalService(present, first, { ...options, pace: withoutPause });
  return {
    service,
    copy: () => store.copy(),
    restore(restored, steps) {
      store = restored;
      service.reset(steps);
    },
  };
}

export interface MemoryOptions {
  /** Of the node: its leases are renewed by it. */
  readonly clock: Clock;
  /** Do several nodes have the data open? False when absent. */
  readonly isShared?: boolean;
}

/** Opens the data for one node. */
export function openMemory(data: MemoryData, { clock, isShared = false }: MemoryOptions): Place {
  const keeps: Keep[] = [];
  return {
    isShared,
    async keep(name) {
      const keep = new LocalKeep(data.service(name), clock);
      keeps.push(keep);
      return keep;
    },
    async close() {
      await Promise.all(keeps.map((keep) => keep.close()));
    },
  };
}
