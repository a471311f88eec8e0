import type { AbstractIterator, AbstractIteratorOptions } from 'abstract-level';
import { DamagedData } from './damage.js';
import { type Level, locationOf } from './level.js';
import { unseal } from './seal.js';
import type { StoreBatch } from './store-batch.js';

type Iterator = AbstractIterator<Level, string, string>;

/**
 * A LevelDB iterator that closes itself when it has ended or failed, and remembers why it failed:
 * quadstore neither closes its iterators nor passes their errors on.
 */
export class ScanIterator {
  error: unknown;
  readonly #iterator: Iterator;
  readonly #place: string;
  #ended = false;

  /** `place` is where the data is, for errors. */
  constructor(iterator: Iterator, place: string) {
    this.#iterator = iterator;
    this.#place = place;
  }

  async nextv(size: number): Promise<[string, string][]> {
    // quadstore asks once more after the end.
    if (this.#ended) return [];
    try {
      const entries = await this.#iterator.nextv(size);
      if (entries.length === 0) await this.close();
      for (const [key, value] of entries) {
        if (unseal(key, value) === undefined) throw damagedQuad(this.#place, key);
      }
      return entries;
    } catch (error) {
      this.error ??= error;
      await this.close();
      throw error;
    }
  }

  /** Frees the snapshot and the files that it holds; safe to call twice. */
  close(): Promise<void> {
    this.#ended = true;
    return this.#iterator.close();
  }
}

/** Keys are of the form index, graph, subject, predicate, object, with two zero characters between them. */
export function damagedQuad(place: string, key: string): DamagedData {
  const [, graph = ''] = key.split('\0\0');
  return new DamagedData(place, `a statement in the graph ${graph} does not match its checksum`);
}

/**
 * What quadstore gets in place of the database. It sees to two things that quadstore leaves open:
 * iterators are ours (`ScanIterator`), and the batches of several calls are gathered into one, so that a
 * change of any size is built in slices and still written atomically, and flushed.
 */
export class Backend {
  readonly #level: Level;
  #gathering: StoreBatch | undefined;
  #scan: ScanIterator | undefined;

  constructor(level: Level) {
    this.#level = level;
  }

  get status(): string {
    return this.#level.status;
  }

  open(): Promise<void> {
    return this.#level.open();
  }

  close(): Promise<void> {
    return this.#level.close();
  }

  /**
   * Runs a call of quadstore that starts a scan, and hands out the iterator that it scans with.
   * @throws what the call throws when it gets no further, as on a store that is closing
   */
  async scanning<T>(call: () => Promise<T>): Promise<{ result: Promise<T>; scan: ScanIterator }> {
    this.#scan = undefined;
    // quadstore asks for its iterator before it first awaits, so this cannot be another call's.
    const result = call();
    const scan = this.#scan as ScanIterator | undefined;
    if (scan) return { result, scan };
    await result;
    throw new Error('quadstore has not asked for an iterator');
  }

  /** Runs a call of quadstore that writes, and lets it add to a batch instead. */
  async gathering(batch: StoreBatch, call: () => Promise<unknown>): Promise<void> {
    this.#gathering = batch;
    const done = call();
    this.#gathering = undefined;
    await done;
  }

  /** Called by quadstore. */
  iterator(options: AbstractIteratorOptions<string, string>): ScanIterator {
    // quadstore asks for keys alone; the values are their checksums.
    const iterator = this.#level.iterator({ ...options, values: true });
    this.#scan = new ScanIterator(iterator, locationOf(this.#level) ?? 'memory');
    return this.#scan;
  }

  /** Called by quadstore. */
  batch(): Pick<StoreBatch, 'put' | 'del'> & { write(): Promise<void> } {
    const batch = this.#gathering;
    if (!batch) throw new Error('quadstore writes only within a batch');
    return {
      // Quads are all key.
      put: (key: string) => batch.put(key, ''),
      del: (key: string) => batch.del(key),
      write: async () => undefined,
    };
  }
}
