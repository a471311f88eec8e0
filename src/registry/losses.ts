import type { Entry } from '../catalog/entry.js';
import { LOCAL, type Source, sameSource, sourceKey } from '../component/source.js';
import { toBeReadAgain } from '../core/document-record.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { LogTo } from '../lib/log.js';
import type { Breather } from '../lib/pace.js';
import type { Draft, RegistryParts } from './draft.js';
import type { Held } from './held.js';
import { documentRow } from './rows.js';
import type { WritingParts } from './writer.js';

/** A source whose statements are not those that have been stored. */
export interface Loss {
  readonly source: Source;
  /** Statements that there should be, and that there are. */
  readonly expected: number;
  readonly found: number;
  /** Documents that say something, and have lost their rows. */
  readonly unknown: readonly string[];
}

/**
 * Compares what documents say after a start with what is held of their sources: the number of statements and the sum of their seals,
 * and whether the documents are known. Notes in what is held how many components they describe.
 */
export async function lossesIn(
  documents: Iterable<readonly Entry[]>,
  held: Held,
  breathe: Breather,
): Promise<Loss[]> {
  const none = (source: Source) => ({ source, found: 0, seals: 0, unknown: [] as string[] });
  const sums = new Map(held.all().map(({ source }) => [sourceKey(source), none(source)]));
  for (const said of documents) {
    const [first] = said;
    if (!first) continue;
    const { source, document } = first.origin;
    const sum = sums.get(sourceKey(source)) ?? none(source);
    sums.set(sourceKey(source), sum);
    sum.found += said.length;
    for (const { seal } of said) sum.seals += seal;
    const known = held.document(first.origin);
    if (known) known.components = said.length;
    else sum.unknown.push(document);
    await breathe();
  }
  return [...sums.values()].flatMap(({ seals, ...sum }) => {
    const { summary, seals: stored } = held.current(sum.source);
    const expected = summary?.count ?? 0;
    const isSame = sum.unknown.length === 0 && sum.found === expected && seals === stored;
    return isSame ? [] : [{ ...sum, expected }];
  });
}

/** Has sources read again whole. @param sources of some, documents of which more is there than is known: see `Loss` */
export async function readAgain(
  sources: Iterable<Pick<Loss, 'source'> & Partial<Loss>>,
  parts: WritingParts,
): Promise<void> {
  for (const { source, unknown } of sources)
    await parts.writer.write((draft) => markUnread(source, draft, parts, unknown));
}

/**
 * Drops cursor and validators, so that the next poll reads the source whole; counts and digests are taken from what is there. What
 * was posted to the node itself stays as it is, and what was decided.
 * @param unknown see `Loss`
 */
export async function markUnread(
  source: Source,
  draft: Draft,
  { data, pace }: RegistryParts,
  unknown: Loss['unknown'] = [],
): Promise<void> {
  const breathe = pace();
  const held = data.now.held.current(source);
  const { memo: _memo, ...others } = held.record;
  const hashes = new HashChange(NO_HASHES);
  let seals = 0;
  for (const document of new Set([...held.documents.keys(), ...unknown])) {
    const record = toBeReadAgain(held.documents.get(document) ?? {});
    draft.rows.push(documentRow(source, document, record));
    for (const { metadata, seal } of data.catalog.sayings({ source, document }).said) {
      hashes.add(record.of ?? '', document, metadata);
      seals += seal;
      await breathe();
    }
  }
  const [before, { all }] = [held.hashes, hashes];
  const isOther = (of: string) => before.get(of)?.digest() !== all.get(of)?.digest();
  const changed = new Set([...before.keys(), ...all.keys()].filter(isOther));
  const record = sameSource(source, LOCAL) ? held.record : others;
  draft.source({ ...held, seals }, record, { changed, all });
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

/** For operators, of stopped nodes. */
export function lossText({ source: { kind, url }, expected, found }: Loss): string {
  const stored = `descriptions of the ${kind} ${url} have been stored`;
  return found === expected
    ? `the ${expected} ${stored} otherwise than they are there`
    : `${expected} ${stored}, and ${found} are there`;
}
