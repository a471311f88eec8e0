import { type Source, sourceKey } from '../component/source.js';
import { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Row } from '../keep/keep.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import type { HeldSource } from '../registry/held.js';
import type { OpenedRegistry } from '../registry/open-registry.js';
import { pinRowKey } from '../registry/row-keys.js';
import { documentRow, rowOf } from '../registry/rows.js';
import type { WritingParts } from '../registry/writer.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/** Writes the records of a file into an empty registry as they come, and closes it. Statements keep their order and times. */
export async function restoreRegistry(
  { registry, parts }: OpenedRegistry,
  records: AsyncIterable<ExportRecord>,
): Promise<void> {
  const { data, writer } = parts;
  let statements: StatementRecord[] = [];
  /** No change of a feed is older than the one before it. */
  let at = 0;
  /** By `sourceKey`; without a record where a document alone tells of one. */
  const sources = new Map<string, { readonly source: Source; readonly record?: SourceRecord }>();
  /** Of documents and pins. They come last: what is remembered of documents counts more than what their statements tell. */
  const rows: Row[] = [];
  for await (const record of records) {
    if (record.type === 'statement') {
      at = Math.max(at, record.at);
      statements.push({ ...record, at });
      if (statements.length < MOST_AT_ONCE) continue;
      await storeStatements(statements, parts);
      statements = [];
    } else if (record.type === 'document') {
      const { source, url } = record;
      sources.set(sourceKey(source), { source });
      rows.push(documentRow(source, url, record.record));
    } else if (record.type === 'source') sources.set(sourceKey(record.source), record);
    else if (record.type === 'pin') rows.push(rowOf('pin', pinRowKey(record.pin), record.pin));
    else if (record.type === 'network') {
      const { peers, storage } = record;
      await registry.setNetwork({ peers, storage });
    }
  }
  await storeStatements(statements, parts);
  await writer.write((draft) => {
    for (const row of rows) draft.rows.push(row);
    for (const { source, record } of sources.values()) {
      const held = data.now.held.current(source);
      draft.source(held, record ?? held.record);
    }
  });
  await registry.close();
}

function storeStatements(
  statements: readonly StatementRecord[],
  { data, writer }: WritingParts,
): Promise<void> {
  return writer.write((draft) => {
    const changed = new Map<string, { readonly held: HeldSource; readonly hashes: HashChange }>();
    for (const { source, document, component, at, of, authority } of statements) {
      draft.at = at;
      draft.place({ source, document, uri: component.uri, kind: 'added', after: component });
      draft.rows.push(documentRow(source, document, { of, authority }));
      const held = data.now.held.current(source);
      const one = changed.get(sourceKey(source)) ?? { held, hashes: new HashChange(held.hashes) };
      changed.set(sourceKey(source), one);
      one.hashes.add(of ?? '', document, component);
    }
    for (const { held, hashes } of changed.values()) draft.source(held, held.record, hashes);
  });
}
