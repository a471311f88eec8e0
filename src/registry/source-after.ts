import type { Source } from '../component/source.js';
import { type HashChange, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { HashRow, SourceRow } from './commit-contents.js';
import type { Step } from './difference.js';
import type { HeldSource } from './held.js';
import { hashRowKey, sourceRowKey } from './row-keys.js';

/** A source as a commit leaves it: its record, its digests with the sums of seals, and the summary that the feed tells. */
export class SourceAfter {
  readonly #held: HeldSource;
  readonly #record: SourceRecord | undefined;
  readonly #hashes: HashChange;
  /** By `DocumentRecord.of`. */
  readonly #seals: Map<string, number>;

  /** @param record undefined when nothing is left of the source, and nothing to be remembered */
  constructor(held: HeldSource, record: SourceRecord | undefined, hashes: HashChange) {
    this.#held = held;
    this.#record = record;
    this.#hashes = hashes;
    this.#seals = new Map([...hashes.changed.keys()].map((of) => [of, held.seals.get(of) ?? 0]));
  }

  get source(): Source {
    return this.#held.source;
  }

  get key(): string {
    return sourceRowKey(this.source);
  }

  /** Do its digests change? */
  get isRehashed(): boolean {
    return this.#hashes.changed.size > 0;
  }

  /** @param seal of the row that a step leads to, where it leads to another one */
  reseal({ kind, before, of }: Step, seal: number | undefined): void {
    if (before) this.addSeal(of.before, -before.seal);
    const after = kind === 'kept' ? before?.seal : seal;
    if (after !== undefined) this.addSeal(of.after, after);
  }

  /** A row with this seal comes, or goes where the seal is negative. */
  addSeal(of: string, seal: number): void {
    this.#seals.set(of, (this.#seals.get(of) ?? this.#held.seals.get(of) ?? 0) + seal);
  }

  row(position = this.#held.position): SourceRow | undefined {
    const { source, rank } = this.#held;
    return this.#record && { source, record: this.#record, rank, position };
  }

  summary(position: number): SourceSummary | undefined {
    const { source, rank } = this.#held;
    return sourceSummary(source, this.#hashes.all, { rank, position });
  }

  /** The rows of the digests that differ. */
  *hashRows(): Generator<[key: string, row: HashRow | undefined]> {
    const { source } = this;
    const { all } = this.#hashes;
    for (const [of, seals] of this.#seals) {
      const hash = all.get(of);
      yield [hashRowKey(source, of), hash && hash.count > 0 ? { source, of, hash, seals } : undefined];
    }
  }
}
