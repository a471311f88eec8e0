import { type Source, sourceKey } from '../component/source.js';
import { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import type { HeldSource } from '../registry/held.js';
import type { OpenedRegistry } from '../registry/open-registry.js';
import { pinRowKey } from '../registry/row-keys.js';
import { documentRow, rowOf } from '../registry/rows.js';
import type { ExportRecord } from './export-record.js';

/**
 * Writes the records of a file into an empty registry as they come, and closes it. Statements keep their order and times. What is
 * remembered of documents and sources stands behind all statements, and counts more than what these tell.
 */
export async function restoreRegistry(
  { registry, parts: { data, writer } }: OpenedRegistry,
  records: AsyncIterable<ExportRecord>,
): Promise<void> {
  /** No change of a feed is older than the one before it. */
  let at = 0;
  const write = (some: readonly ExportRecord[]) =>
    writer.write((draft) => {
      const changes = new Map<string, { held: HeldSource; hashes: HashChange; record: SourceRecord }>();
      const changeOf = (source: Source) => {
        const held = data.now.held.current(source);
        const unchanged = { held, hashes: new HashChange(held.hashes), record: held.record };
        const change = changes.get(sourceKey(source)) ?? unchanged;
        changes.set(sourceKey(source), change);
        return change;
      };
      for (const one of some) {
        if (one.type === 'statement') {
          const { source, document, component, of, authority } = one;
          at = Math.max(at, one.at);
          draft.at = at;
          draft.place({ source, document, uri: component.uri, kind: 'added', after: component });
          draft.rows.push(documentRow(source, document, { of, authority }));
          changeOf(source).hashes.add(of ?? '', document, component);
        } else if (one.type === 'document') {
          changeOf(one.source);
          draft.rows.push(documentRow(one.source, one.url, one.record));
        } else if (one.type === 'source') changeOf(one.source).record = one.record;
        else if (one.type === 'pin') draft.rows.push(rowOf('pin', pinRowKey(one.pin), one.pin));
      }
      for (const { held, record, hashes } of changes.values()) draft.source(held, record, hashes);
    });
  let some: ExportRecord[] = [];
  for await (const record of records) {
    if (record.type === 'network')
      await registry.setNetwork({ peers: record.peers, storage: record.storage });
    else some.push(record);
    if (some.length < MOST_AT_ONCE) continue;
    await write(some);
    some = [];
  }
  await write(some);
  await registry.close();
}
