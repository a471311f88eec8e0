import type { Source } from '../component/source.js';
import { type HashChange, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { CommitContents, HashRow, SourceRow } from './commit-contents.js';
import type { HeldSource } from './held.js';
import { hashRowKey, sourceRowKey } from './row-keys.js';

/** A source as a commit leaves it: its record, its digests with the sums of seals, and the summary that the feed tells. */
export class SourceAfter {
  readonly source: Source;
  readonly #held: HeldSource;
  readonly #record: SourceRecord | undefined;
  readonly #hashes: HashChange;
  /** By `DocumentRecord.of`, as far as they may have changed. */
  readonly #seals = new Map<string, number>();

  /** @param record undefined when nothing is left of the source, and nothing to be remembered */
  constructor(held: HeldSource, record: SourceRecord | undefined, hashes: HashChange) {
    this.source = held.source;
    this.#held = held;
    this.#record = record;
    this.#hashes = hashes;
    for (const of of hashes.changed.keys()) this.addSeal(of, 0);
  }

  get key(): string {
    return sourceRowKey(this.source);
  }

  /** Do its digests change? */
  get isRehashed(): boolean {
    return this.#hashes.changed.size > 0;
  }

  /** A row with this seal comes, or goes where the seal is negative. */
  addSeal(of: string, seal: number): void {
    this.#seals.set(of, (this.#seals.get(of) ?? this.#held.seals.get(of) ?? 0) + seal);
  }

  summary(position: number): SourceSummary | undefined {
    const { rank } = this.#held;
    return sourceSummary(this.source, this.#hashes.all, { rank, position });
  }

  /** The rows that differ. @param position of the change of the summary, if it changes */
  rows(position = this.#held.position): Pick<CommitContents, 'sources' | 'hashes'> {
    const { source, key } = this;
    const { all } = this.#hashes;
    const { rank } = this.#held;
    const record = this.#record;
    const row: SourceRow | undefined = record && { source, record, rank, position };
    const hashes = new Map<string, HashRow | undefined>();
    for (const [of, seals] of this.#seals) {
      const hash = all.get(of);
      hashes.set(hashRowKey(source, of), hash && { source, of, hash, seals });
    }
    return { sources: new Map([[key, row]]), hashes };
  }
}
