import { type Source, sourceKey } from '../component/source.js';
import { metadataOf } from '../component/writing/listing-text.js';
import { KeepDamaged } from '../keep/faults.js';
import type { Reads, Row, StoredRow } from '../keep/keep.js';
import { withoutPause } from '../lib/pace.js';
import type { CommitContents, Serving } from '../registry/commit-contents.js';
import { refuseOtherSchema } from '../registry/open-registry.js';
import { documentRowKey, sourceRowKey } from '../registry/row-keys.js';
import { decoded, StatementReader } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/** What is not exported: states and removals belong to a history, and what is imported begins another one. */
const TABLES = ['meta', 'source', 'hash', 'document', 'pin', 'statement'];

/** One state of a registry, as nodes have shown it last. */
export interface StoredRegistry {
  readonly serving: Serving;
  /** Pins, statements in the order in which they came to be said, what is remembered of documents and sources, network lists. */
  readonly records: () => Generator<ExportRecord>;
}

/** Where a statement stands among the others, and the text of its row. */
interface Placed {
  /** When what it says was said first; its pin may have changed since. */
  readonly since: number;
  readonly isPinnedLater: boolean;
  readonly position: number;
  readonly value: string;
}

/**
 * Reads what is stored of a registry, and writes nothing.
 * @param where in messages
 * @returns `undefined` where no node has stored anything
 * @throws KeepDamaged, also where statements are missing; KeepUnusable, KeepUnavailable
 */
export async function readRegistry(
  keep: Pick<Reads, 'rows'>,
  where: string,
): Promise<StoredRegistry | undefined> {
  const others: Row[] = [];
  const statements: Placed[] = [];
  const sums = new Map<string, Sum>();
  for await (const { table, rows } of keep.rows(TABLES)) {
    if (table === 'statement') for (const row of rows) statements.push(placed(row, sums));
    else others.push(...rows);
  }
  const effects = await decoded(others, withoutPause());
  refuseOtherSchema(effects);
  refuseLoss(effects, sums, where);
  const { meta, serving } = effects;
  if (!meta || !serving) return undefined;
  statements.sort(inOrder);
  return { serving, records: () => recordsOf(effects, statements) };
}

/** How many statements of a source there are, the sum of their seals, and the documents that they are in. */
interface Sum {
  readonly source: Source;
  readonly documents: Set<string>;
  count: number;
  seals: number;
}

function placed({ value, seal }: StoredRow, sums: Map<string, Sum>): Placed {
  const { source, document, position, at, since } = new StatementReader().read(value);
  const key = sourceKey(source);
  const sum = sums.get(key) ?? { source, documents: new Set(), count: 0, seals: 0 };
  sums.set(key, sum);
  sum.documents.add(document);
  sum.count += 1;
  sum.seals += seal | 0;
  return { since: since ?? at, isPinnedLater: since !== undefined, position, value };
}

/** What a document says stands where it came to be said, also when its pin has changed since then. */
function inOrder(one: Placed, other: Placed): number {
  const late = Number(one.isPinnedLater) - Number(other.isPinnedLater);
  return one.since - other.since || late || one.position - other.position;
}

/** A node would read them again from their source, and so shall it be before somebody takes the file for a backup. */
function refuseLoss(
  { sources, hashes, documents }: CommitContents,
  sums: Map<string, Sum>,
  where: string,
): void {
  const expected = new Map<string, { count: number; seals: number }>();
  for (const row of hashes.values()) {
    if (!row) continue;
    const sum = expected.get(sourceKey(row.source)) ?? { count: 0, seals: 0 };
    expected.set(sourceKey(row.source), { count: sum.count + row.hash.count, seals: sum.seals + row.seals });
  }
  for (const key of new Set([...expected.keys(), ...sums.keys()])) {
    const { count, seals } = expected.get(key) ?? { count: 0, seals: 0 };
    const found = sums.get(key);
    const isRemembered =
      found === undefined ||
      (sources.has(sourceRowKey(found.source)) &&
        [...found.documents].every((document) => documents.has(documentRowKey(`${key} ${document}`))));
    if (isRemembered && count === (found?.count ?? 0) && seals === (found?.seals ?? 0)) continue;
    throw new KeepDamaged(
      where,
      `the statements of ${key} are not those that were stored (${found?.count ?? 0} instead of ${count})`,
    );
  }
}

function* recordsOf(
  { pins, documents, sources, network }: CommitContents,
  statements: readonly Placed[],
): Generator<ExportRecord> {
  for (const pin of pins.values()) if (pin) yield { type: 'pin', pin };
  for (const one of statements) yield statementOf(one, documents);
  const speaking = new Set<string>();
  for (const row of documents.values()) {
    if (!row) continue;
    speaking.add(sourceKey(row.source));
    yield { type: 'document', source: row.source, url: row.document, record: row.record };
  }
  for (const row of sources.values()) {
    if (!row) continue;
    const isNothing = JSON.stringify(row.record) === JSON.stringify({ failures: 0 });
    if (!isNothing || speaking.has(sourceKey(row.source)))
      yield { type: 'source', source: row.source, record: row.record };
  }
  yield { type: 'network', peers: [], storage: [], ...network };
}

function statementOf({ since, value }: Placed, documents: CommitContents['documents']): StatementRecord {
  const { source, document, listed } = new StatementReader().read(value);
  const { of, authority } = documents.get(documentRowKey(`${sourceKey(source)} ${document}`))?.record ?? {};
  return { type: 'statement', at: since, source, document, of, authority, component: metadataOf(listed) };
}
