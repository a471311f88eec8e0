import { LOCAL, type Source, sameSource, sourceKey } from '../component/source.js';
import { unread } from '../core/document-record.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { LogTo } from '../lib/log.js';
import type { Draft, RegistryParts } from './draft.js';
import { byOf, type Held } from './held.js';
import { documentRow, hashRow } from './rows.js';

/** A source whose statements are not those that have been stored. */
export interface Loss {
  readonly source: Source;
  /** Statements that there should be, and that there are. */
  readonly expected: number;
  readonly found: number;
}

/** Statements of one document, and the sum of the seals of their rows. */
export interface FoundStatements {
  readonly source: Source;
  readonly document: string;
  readonly count: number;
  readonly seals: number;
}

/** Compares what there is with what is held of sources. Also where nothing is remembered of a document that has statements. */
export function lossesOf(all: Iterable<FoundStatements>, held: Held): Loss[] {
  const nothing = ({ source }: { source: Source }) => ({ source, count: 0, seals: 0, isKnown: true });
  const sums = new Map(held.all().map((one) => [sourceKey(one.source), nothing(one)]));
  for (const one of all) {
    const key = sourceKey(one.source);
    const sum = sums.get(key) ?? nothing(one);
    sum.count += one.count;
    sum.seals += one.seals;
    sum.isKnown &&= held.hasDocument(one);
    sums.set(key, sum);
  }
  return [...sums.values()].flatMap(({ source, count: found, seals, isKnown }) => {
    const should = held.source(source);
    const expected = should?.summary?.count ?? 0;
    const isSame = isKnown && found === expected && seals === should?.seals;
    return isSame ? [] : [{ source, expected, found }];
  });
}

/**
 * What makes a source be read again whole, whatever is stored of it: what there is counts, and nothing is remembered that would
 * keep its documents from being read. What was posted to the node itself stays as it is, and what was decided.
 */
export async function recover(source: Source, draft: Draft, { data, pace }: RegistryParts): Promise<void> {
  const breathe = pace();
  const held = data.now.held.current(source);
  const { memo: _memo, ...others } = held.record;
  const hashes = new HashChange(NO_HASHES);
  let seals = 0;
  const documents = new Map([...held.documents].map(([document, record]) => [document, unread(record)]));
  for (const { document, said } of data.catalog.documentsOf(source)) {
    const remembered = documents.get(document) ?? {};
    documents.set(document, remembered);
    for (const entry of said) {
      hashes.add(remembered.of ?? '', document, entry.metadata);
      seals += entry.seal;
      await breathe();
    }
  }
  for (const [document, record] of documents) draft.rows.push(documentRow(source, document, record));
  const former = [...byOf(held.hashes)];
  const isSame =
    former.length === hashes.all.size &&
    former.every(([of, hash]) => hash.digest() === hashes.all.get(of)?.digest());
  for (const [of] of isSame ? [] : former) draft.rows.push(hashRow(source, of, undefined));
  const record = sameSource(source, LOCAL) ? held.record : others;
  draft.source({ ...held, seals }, record, isSame ? new HashChange(NO_HASHES) : hashes);
}

export function tellLoss({ source, expected, found }: Loss, log: LogTo<'warn'>): void {
  const { kind, url } = source;
  const remedy = sameSource(source, LOCAL)
    ? 'what was posted to this node and is not listed any more has to be posted again, unless it is restored now'
    : 'it is read again whole';
  log.warn(
    { kind, source: url, expected, found },
    `the stored statements of this source are not those that were written: ${remedy}; if this is said again, run repair`,
  );
}
