import { uriKey } from './uri.js';

/** A record, its place in the order of creation, and its key on disk. */
export interface Kept<T> {
  readonly seq: number;
  readonly key: string;
  readonly record: T;
}

/** All records of one kind, in memory: by key, and by holder. The disk is written first, then this. */
export class Shelf<T extends { readonly uri: string; readonly holder: string }> {
  readonly #all = new Map<string, Kept<T>>();
  readonly #byUri = new Map<string, readonly Kept<T>[]>();
  readonly #byHolder = new Map<string, Map<string, Kept<T>>>();

  constructor(readonly keyOf: (record: T) => string) {}

  get size(): number {
    return this.#all.size;
  }

  get(key: string): Kept<T> | undefined {
    return this.#all.get(key);
  }

  /** All records with this URI; different holders may have chosen the same. */
  named(uri: string): readonly Kept<T>[] {
    return this.#byUri.get(uriKey(uri)) ?? [];
  }

  /** Newest first: of one holder, or of all. */
  newestFirst(holder?: string): Kept<T>[] {
    const records = holder === undefined ? this.#all : this.#byHolder.get(uriKey(holder));
    return [...(records?.values() ?? [])].sort((one, other) => other.seq - one.seq);
  }

  put(kept: Kept<T>): void {
    const { key } = kept;
    this.delete(key);
    this.#all.set(key, kept);
    this.#byUri.set(uriKey(kept.record.uri), [...this.named(kept.record.uri), kept]);
    const holder = uriKey(kept.record.holder);
    const own = this.#byHolder.get(holder) ?? new Map<string, Kept<T>>();
    this.#byHolder.set(holder, own.set(key, kept));
  }

  delete(key: string): void {
    const kept = this.#all.get(key);
    if (!kept) return;
    this.#all.delete(key);
    const others = this.named(kept.record.uri).filter((other) => other !== kept);
    if (others.length > 0) this.#byUri.set(uriKey(kept.record.uri), others);
    else this.#byUri.delete(uriKey(kept.record.uri));
    const holder = uriKey(kept.record.holder);
    const own = this.#byHolder.get(holder);
    own?.delete(key);
    if (own?.size === 0) this.#byHolder.delete(holder);
  }
}
