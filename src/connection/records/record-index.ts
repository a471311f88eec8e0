import { createHash } from 'node:crypto';
import { uriKey } from '../uri.js';

/** Characters of a key, which are ASCII; a number may follow them. A keep takes keys of 1,200 bytes. */
const LONGEST_KEY = 1_000;

/** The key of a record in the keep: a text of URIs in normal form, or the hash of a long one. */
export function recordKey(text: string): string {
  return text.length <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('hex');
}

/** A record, its number in the order of creation, and its key in the keep. */
export interface IndexedRecord<T> {
  readonly seq: number;
  readonly key: string;
  readonly record: T;
}

/** The fields by which records are found. */
interface Owned {
  readonly uri: string;
  readonly holder: string;
}

/** Which records are listed: those of a holder, or all when none is named. */
export interface RecordQuery {
  readonly holder?: string;
}

/**
 * All records of one kind in memory, found by key, by URI and by holder. `Records` changes it after the change has been
 * written to the keep.
 */
export class RecordIndex<T extends Owned> {
  readonly #all = new Map<string, IndexedRecord<T>>();
  readonly #byUri = new Map<string, readonly IndexedRecord<T>[]>();
  readonly #byHolder = new Map<string, Map<string, IndexedRecord<T>>>();

  /** `keyOf`: the key of a record, when no other record has the same one. */
  constructor(readonly keyOf: (record: T) => string) {}

  get(key: string): IndexedRecord<T> | undefined {
    return this.#all.get(key);
  }

  /** All records with this URI; different holders may have chosen the same. */
  named(uri: string): readonly IndexedRecord<T>[] {
    return this.#byUri.get(uriKey(uri)) ?? [];
  }

  /** The newest first. */
  list({ holder }: RecordQuery): IndexedRecord<T>[] {
    const records = holder === undefined ? this.#all : this.#byHolder.get(uriKey(holder));
    return [...(records?.values() ?? [])].sort((one, other) => other.seq - one.seq);
  }

  /** Adds a record, or replaces the one with the same key. */
  put(indexed: IndexedRecord<T>): void {
    const { key, record } = indexed;
    this.delete(key);
    this.#all.set(key, indexed);
    this.#byUri.set(uriKey(record.uri), [...this.named(record.uri), indexed]);
    const holder = uriKey(record.holder);
    const own = this.#byHolder.get(holder) ?? new Map<string, IndexedRecord<T>>();
    this.#byHolder.set(holder, own.set(key, indexed));
  }

  clear(): void {
    for (const index of [this.#all, this.#byUri, this.#byHolder]) index.clear();
  }

  delete(key: string): void {
    const indexed = this.#all.get(key);
    if (!indexed) return;
    this.#all.delete(key);
    const { record } = indexed;
    const { uri } = record;
    const others = this.named(uri).filter((other) => other !== indexed);
    if (others.length > 0) this.#byUri.set(uriKey(uri), others);
    else this.#byUri.delete(uriKey(uri));
    const holder = uriKey(record.holder);
    const own = this.#byHolder.get(holder);
    own?.delete(key);
    if (own?.size === 0) this.#byHolder.delete(holder);
  }
}
