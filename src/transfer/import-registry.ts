import { type Source, sameSource, sourceKey } from '../component/source.js';
import { grouped } from '../lib/grouped.js';
import type { Pins } from '../registry/pins.js';
import type { Registry } from '../registry/registry.js';
import type { DocumentChange } from '../registry/source-change.js';
import type { SourceRecord } from '../registry/source-record.js';
import { unfinishedImport } from '../registry/unfinished-import.js';
import type { ExportRecord, StatementRecord } from './export-record.js';
import type { ImportClock } from './import-clock.js';

/** Records that are stored in one commit, at most. */
const PORTION = 500;

export interface RegistryImportParts {
  readonly registry: Registry;
  readonly pins: Pins;
  /** That of the registry. */
  readonly clock: ImportClock;
  /** Statements at the beginning of the file that are stored already. */
  readonly stored: number;
}

/**
 * Stores what a file holds of a registry. Pins come first, so that statements are shown with them from the beginning. Then
 * come the statements, in the order in which they were first made and with their times; what is remembered of documents and
 * sources comes last, so that no document counts as read before all of it is there.
 */
export async function importRegistry(
  records: AsyncIterable<ExportRecord>,
  { registry, pins, clock, stored }: RegistryImportParts,
): Promise<void> {
  const known = await storedDocuments(registry);
  const commit = (source: Source, documents: DocumentChange[]) =>
    registry.commit({ source, documents, record: (record) => record });
  for await (const some of commitsOf(records, stored)) {
    const [first] = some;
    switch (first.type) {
      case 'pin':
        await pins.change(
          some.flatMap((one) => (one.type === 'pin' ? [one.pin] : [])),
          (pin) => pin,
        );
        break;
      case 'statement':
        clock.at = first.at;
        await commit(first.source, statementChanges(some, known));
        break;
      case 'document':
        await commit(
          first.source,
          some.flatMap((one) => (one.type === 'document' ? [{ url: one.url, record: one.record }] : [])),
        );
        break;
      case 'source':
        await rememberSource(registry, first.source, first.record);
        break;
      case 'network':
        // When they were set is not in the file; an earlier time than that would call older lists unchanged.
        clock.showPresent();
        await registry.setNetwork({ peers: first.peers, storage: first.storage });
    }
  }
}

type ExportRecords = readonly [ExportRecord, ...ExportRecord[]];

/** The records that are stored together, one list after the other. @param stored statements at the beginning that are left out */
async function* commitsOf(
  records: AsyncIterable<ExportRecord>,
  stored: number,
): AsyncGenerator<ExportRecords> {
  let some: [ExportRecord, ...ExportRecord[]] | undefined;
  let left = stored;
  for await (const record of records) {
    if (record.type === 'statement' && left-- > 0) continue;
    if (some && some.length < PORTION && isSameCommit(some[0], record)) some.push(record);
    else {
      if (some) yield some;
      some = [record];
    }
  }
  if (some) yield some;
}

function isSameCommit(one: ExportRecord, other: ExportRecord): boolean {
  if (one.type === 'pin') return other.type === 'pin';
  if (one.type === 'document') return other.type === 'document' && sameSource(one.source, other.source);
  if (one.type !== 'statement' || other.type !== 'statement') return false;
  return one.at === other.at && sameSource(one.source, other.source);
}

/** The documents that are stored, as `documentKey`s. */
async function storedDocuments(registry: Registry): Promise<Set<string>> {
  const stored = await registry.sources();
  return new Set(
    stored.flatMap(({ source, documents }) => [...documents.keys()].map((url) => documentKey(source, url))),
  );
}

/**
 * What statements of one source change. What a document belongs to, and its authority, are said with its first statements.
 * @param known documents that are stored; those that become so are added
 */
function statementChanges(records: ExportRecords, known: Set<string>): DocumentChange[] {
  const statements = records.filter((one): one is StatementRecord => one.type === 'statement');
  return [...grouped(statements, ({ document }) => document)].map(([url, said]) => {
    const [{ source, of, authority }] = said;
    const record = { of, authority };
    const components = said.map(({ component }) => component);
    const key = documentKey(source, url);
    if (known.has(key)) return { url, record, amend: { put: components } };
    known.add(key);
    return { url, record, components };
  });
}

async function rememberSource(registry: Registry, source: Source, record: SourceRecord): Promise<void> {
  // A note of the import stays until its end.
  const noted = source.kind === 'local' ? await unfinishedImport(registry) : undefined;
  const memo = noted ? { ...record.memo, import: noted } : record.memo;
  await registry.commit({ source, documents: [], record: () => ({ ...record, memo }) });
}

function documentKey(source: Source, url: string): string {
  return `${sourceKey(source)} ${url}`;
}
