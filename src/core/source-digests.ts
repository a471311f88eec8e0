import { createHash } from 'node:crypto';
import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import { statementElement } from '../component/statement-digest.js';
import { LtHash } from '../lib/lt-hash.js';

/** The hashes of what one source says, by `DocumentRecord.of` ('' where there is none). Never changed. */
export type SourceHashes = ReadonlyMap<string, LtHash>;

export const NO_HASHES: SourceHashes = new Map();

/** The hashes of a source as a change would leave them. */
export class HashChange {
  readonly changed = new Map<string, LtHash>();

  constructor(readonly before: SourceHashes) {}

  add(of: string, document: string, metadata: Metadata): void {
    this.#writable(of).add(statementElement(document, metadata));
  }

  remove(of: string, document: string, metadata: Metadata): void {
    this.#writable(of).remove(statementElement(document, metadata));
  }

  /** All of them; without those of nothing. */
  get all(): SourceHashes {
    if (this.changed.size === 0) return this.before;
    const all = new Map([...this.before, ...this.changed]);
    for (const [of, hash] of all) if (hash.count === 0) all.delete(of);
    return all;
  }

  verify(expected: ReadonlyMap<string, string> | undefined): void {
    if (!expected) return;
    const { all } = this;
    const nothing = LtHash.empty().digest();
    const differing = [...expected].filter(([of, digest]) => (all.get(of)?.digest() ?? nothing) !== digest);
    if (differing.length > 0) throw new DigestMismatch(differing.map(([of]) => of));
  }

  #writable(of: string): LtHash {
    const hash = this.changed.get(of) ?? this.before.get(of)?.copy() ?? LtHash.empty();
    this.changed.set(of, hash);
    return hash;
  }
}

/** The summary of a source in the feed; `undefined` when it describes nothing. */
export function sourceSummary(
  source: Source,
  hashes: SourceHashes,
  { rank, position }: Pick<SourceSummary, 'rank' | 'position'>,
): SourceSummary | undefined {
  const sum = LtHash.empty();
  for (const hash of hashes.values()) sum.include(hash);
  return sum.count === 0 ? undefined : { source, rank, count: sum.count, digest: sum.digest(), position };
}

export interface SourceSummary {
  readonly source: Source;
  /** `Precedence.rank`, of what the source says for itself: the lowest is served; ties by URL. */
  readonly rank: number;
  /** Statements, shadowed ones included. */
  readonly count: number;
  readonly digest: string;
  readonly position: number;
}

/** The summaries that a reader is told: all of them, or those that have changed since a state. */
export function summariesFor(summaries: readonly SourceSummary[], since?: { readonly position: number }) {
  return since ? summaries.filter(({ position }) => position > since.position) : summaries;
}

/** The digest over all sources, and over the revision of the network lists. */
export function feedDigest(summaries: readonly SourceSummary[], networkRevision: number): string {
  const texts = summaries.map(
    ({ source: { kind, url }, rank, count, digest }) => `${kind} ${url} ${rank} ${count} ${digest}\n`,
  );
  const text = `${texts.sort().join('')}network ${networkRevision}\n`;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What is stored would not be what the other side says it has: nothing was changed. */
export class DigestMismatch extends Error {
  override readonly name = 'DigestMismatch';

  /** @param differing those that differ, as `SourceChange.expected` names them */
  constructor(readonly differing: readonly string[]) {
    super(`What would be stored is not what the source has: ${differing.join(', ')}`);
  }
}
