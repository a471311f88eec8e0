import { uriKey } from './uri.js';

/** A record and its place in the order of creation. */
export interface IndexedRecord<T> {
  readonly seq: number;
  readonly record: T;
}

export interface RecordQuery {
  readonly holder: string | undefined;
  readonly order: 'newest';
}

/** All records of one kind, in memory, by key and by holder. `Records` writes each change to disk before it makes it here. */
export class RecordIndex<T extends { readonly holder: string }> {
  readonly #all = new Map<string, IndexedRecord<T>>();
  readonly #byHolder = new Map<string, Map<string, IndexedRecord<T>>>();

  constructor(readonly keyOf: (record: T) => string) {}

  get size(): number {
    return this.#all.size;
  }

  get(key: string): IndexedRecord<T> | undefined {
    return this.#all.get(key);
  }

  /** The records of one holder, or of all when none is given; the newest first. */
  list({ holder }: RecordQuery): IndexedRecord<T>[] {
    const records = holder === undefined ? this.#all : this.#byHolder.get(uriKey(holder));
    return [...(records?.values() ?? [])].sort((one, other) => other.seq - one.seq);
  }

  put(indexed: IndexedRecord<T>): void {
    const key = this.keyOf(indexed.record);
    this.delete(key);
    this.#all.set(key, indexed);
    const holder = uriKey(indexed.record.holder);
    const own = this.#byHolder.get(holder) ?? new Map<string, IndexedRecord<T>>();
    this.#byHolder.set(holder, own.set(key, indexed));
  }

  delete(key: string): void {
    const indexed = this.#all.get(key);
    if (!indexed) return;
    this.#all.delete(key);
    const holder = uriKey(indexed.record.holder);
    const own = this.#byHolder.get(holder);
    own?.delete(key);
    if (own?.size === 0) this.#byHolder.delete(holder);
  }
}
