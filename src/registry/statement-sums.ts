import { documentKey } from '../catalog/entry.js';
import { type Source, sourceKey } from '../component/source.js';
import type { CommitContents } from './commit-contents.js';
import { documentRowKey, sourceRowKey } from './row-keys.js';

/** A source whose statements are not those that have been stored. */
export interface Loss {
  readonly source: Source;
  /** Statements that there should be, and that there are. */
  readonly expected: number;
  readonly found: number;
}

/** Of one source. */
interface Sum {
  readonly source: Source;
  count: number;
  seals: number;
}

/** How many statements of each source there are, and the sum of their seals: compared with what the rows of its digests tell. */
export class StatementSums {
  readonly #found = new Map<string, Sum>();
  /** By the keys of their rows. */
  readonly #documents = new Map<string, Source>();

  /** @param seals of so many statements, together */
  add(source: Source, document: string, count: number, seals: number): void {
    addTo(this.#found, source, count, seals);
    this.#documents.set(documentRowKey(documentKey({ source, document })), source);
  }

  /** Also where nothing is remembered of a source, or of a document, that has statements. */
  losses({ sources, hashes, documents }: Pick<CommitContents, 'sources' | 'hashes' | 'documents'>): Loss[] {
    const expected = new Map<string, Sum>();
    for (const row of hashes.values()) if (row) addTo(expected, row.source, row.hash.count, row.seals);
    const forgotten = new Set<string>();
    for (const [key, source] of this.#documents)
      if (!documents.get(key) || !sources.get(sourceRowKey(source))) forgotten.add(sourceKey(source));
    const all = new Map([...expected, ...this.#found]);
    return [...all].flatMap(([key, { source }]): Loss[] => {
      const [should, is] = [expected.get(key), this.#found.get(key)];
      const isSame = should?.count === is?.count && should?.seals === is?.seals;
      if (isSame && !forgotten.has(key)) return [];
      return [{ source, expected: should?.count ?? 0, found: is?.count ?? 0 }];
    });
  }
}

function addTo(sums: Map<string, Sum>, source: Source, count: number, seals: number): void {
  const key = sourceKey(source);
  const sum = sums.get(key) ?? { source, count: 0, seals: 0 };
  sum.count += count;
  sum.seals += seals;
  sums.set(key, sum);
}
