import { type Source, sameSource } from '../component/source.js';
import type { DocumentChange } from '../core/document-change.js';
import { grouped } from '../lib/grouped.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { ExportRecord } from './export-record.js';
import type { ImportClock } from './import-clock.js';

/** Records that are stored in one commit, at most. */
const PORTION = 5_000;

/**
 * Stores what a file holds of a registry in an empty one. Pins come first, so that statements are shown with them from the beginning.
 * Then come the statements, in the order in which they were first made and with their times; what is remembered of documents and
 * sources comes last.
 * @param clock that of the registry
 */
export async function importRegistry(
  records: AsyncIterable<ExportRecord>,
  { registry, pins }: Pick<OpenRegistry, 'registry' | 'pins'>,
  clock: ImportClock,
): Promise<void> {
  const commit = (source: Source, documents: readonly DocumentChange[]) =>
    registry.commit({ source, documents, record: (record) => record });
  for await (const some of commitsOf(records)) {
    const [first] = some;
    if (first.type === 'pin') {
      const seen = some.flatMap((one) => (one.type === 'pin' ? one.pin : []));
      await pins.change(seen, (pin) => pin);
    } else if (first.type === 'statement') {
      clock.at = first.at;
      await commit(first.source, statementChanges(some));
    } else if (first.type === 'document') {
      const read = some.flatMap((one) =>
        one.type === 'document' ? { url: one.url, record: one.record } : [],
      );
      await commit(first.source, read);
    } else if (first.type === 'source') {
      const { source, record } = first;
      await registry.commit({ source, documents: [], record: () => record });
    } else if (first.type === 'network') {
      // When they were set is not in the file; an earlier time than that would call older lists unchanged.
      clock.showPresent();
      await registry.setNetwork({ peers: first.peers, storage: first.storage });
    }
  }
}

type ExportRecords = readonly [ExportRecord, ...ExportRecord[]];

/** The records that are stored together, one list after the other. */
async function* commitsOf(records: AsyncIterable<ExportRecord>): AsyncGenerator<ExportRecords> {
  let some: [ExportRecord, ...ExportRecord[]] | undefined;
  for await (const record of records) {
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

/** What statements of one source change. What a document belongs to, and its authority, are said with its first statements. */
function statementChanges(records: ExportRecords): DocumentChange[] {
  const statements = records.flatMap((one) => (one.type === 'statement' ? one : []));
  return [...grouped(statements, ({ document }) => document)].map(([url, said]) => {
    const [{ of, authority }] = said;
    return { url, record: { of, authority }, amend: { put: said.map(({ component }) => component) } };
  });
}
