import { LOCAL, type Source, sameSource } from '../component/source.js';
import { type DocumentRecord, unread } from '../core/document-record.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { LogTo } from '../lib/log.js';
import type { HeldSource } from './held.js';
import {
  documentRows,
  NOTHING,
  type PreparedCommit,
  type PreparingParts,
  stateChange,
} from './prepared-commit.js';
import type { RegistryData } from './registry-data.js';
import { sourceRowKey, statementRowKey, uriOfRowKey } from './row-keys.js';
import { SourceAfter } from './source-after.js';
import type { Loss } from './statement-sums.js';

/**
 * What makes a source be read again whole, of which other statements are stored than have been: what there is counts, and nothing
 * is remembered that would keep its documents from being read. What was posted to the node itself stays as it is.
 * @param held at its present rank; of one of which nothing is known, too
 */
export async function recovery(held: HeldSource, parts: PreparingParts): Promise<PreparedCommit> {
  const { data, pace } = parts;
  const breathe = pace();
  const hashes = new HashChange(NO_HASHES);
  const after = new SourceAfter({ ...held, seals: new Map() }, withoutCursor(held), hashes);
  for (const of of held.hashes.keys()) after.addSeal(of, 0);
  const documents = unreadDocuments(held);
  for (const { document, said } of data.catalog.documentsOf(held.source)) {
    const record = documents.get(document) ?? {};
    documents.set(document, record);
    const { of = '' } = record;
    for (const entry of said) {
      hashes.add(of, document, entry.metadata);
      after.addSeal(of, entry.seal);
      await breathe();
    }
  }
  const change = stateChange(parts, 1);
  const contents = {
    ...NOTHING.contents,
    documents: documentRows(held.source, documents),
    hashes: new Map(after.hashRows()),
    sources: new Map([[after.key, after.row(change.position)]]),
  };
  const summaries = new Map([[after.key, after.summary(change.position)]]);
  return { contents, rows: [], change: { ...change, summaries } };
}

/** What deletes rows of statements that are not made: once their removals are forgotten, nothing would tell that of them. */
export function deletion(revived: readonly string[], { catalog }: RegistryData): PreparedCommit | undefined {
  const isMade = (key: string) =>
    catalog.entriesOf(uriOfRowKey(key)).some(({ uri, origin }) => statementRowKey(uri, origin.key) === key);
  const gone = revived.filter((key) => !isMade(key));
  const rows = gone.map((key) => ({ table: 'statement', key, value: undefined }));
  return rows.length > 0 ? { ...NOTHING, rows } : undefined;
}

/** What makes a source be read again whole, whatever is stored of it; nothing for the node itself. */
export function readingAgain(held: HeldSource | undefined): PreparedCommit {
  if (!held || sameSource(held.source, LOCAL)) return NOTHING;
  const { source, rank, position } = held;
  const row = { source, record: withoutCursor(held), rank, position };
  const documents = documentRows(source, unreadDocuments(held));
  return {
    ...NOTHING,
    contents: { ...NOTHING.contents, documents, sources: new Map([[sourceRowKey(source), row]]) },
  };
}

function unreadDocuments({ documents }: HeldSource): Map<string, DocumentRecord> {
  return new Map([...documents].map(([url, { record }]) => [url, unread(record)]));
}

/** What the operator has decided is remembered of the node itself. */
function withoutCursor({ source, record }: HeldSource): SourceRecord {
  if (sameSource(source, LOCAL)) return record;
  const { memo: _memo, ...others } = record;
  return others;
}

export function tellLoss({ source, expected, found }: Loss, log: LogTo<'warn'>): void {
  const { kind, url }: Source = source;
  const remedy = sameSource(source, LOCAL)
    ? 'what was posted to this node and is not listed any more has to be posted again, unless it is restored now'
    : 'it is read again whole';
  log.warn(
    { kind, source: url, expected, found },
    `the stored statements of this source are not those that were written: ${remedy}; if this is said again, run repair`,
  );
}
