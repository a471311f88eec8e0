import { type Source, sourceKey } from '../../../component/source.js';
import type { Clock } from '../../../lib/clock.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { hasText, readStatementKey, readStatementRow, statementRow } from '../database/statement-row.js';
import { TABLES } from '../database/tables.js';
import type { Sources } from '../disk-source.js';

/** How long a rest between two lists of rows is, in ms: others come first. */
const REST = 20;

export interface SlimmingParts {
  readonly store: QuadStore;
  readonly sources: Sources;
  readonly options: { readonly clock: Clock };
  readonly registry: { exclusive<T>(source: Source, task: () => Promise<T>): Promise<T> };
  readonly signal: AbortSignal;
}

/**
 * Takes the metadata out of the rows of statements that versions before schema 7 have written, of sources whose quads are
 * known to say it, too. A batch for each list of rows: wherever it is interrupted, both forms of rows can be read, and the
 * next check goes on.
 */
export async function slimRows(
  good: readonly Source[],
  { store, sources, options, registry, signal }: SlimmingParts,
): Promise<void> {
  if (await store.row('meta', 'slim')) return;
  const sourceOf = new Map<number, Source>();
  for (const source of good)
    for (const { number } of sources.get(source)?.documents.values() ?? []) sourceOf.set(number, source);
  let areAll = true;
  let some = 0;
  for await (const page of store.texts('statement')) {
    const bySource = new Map<string, { readonly source: Source; readonly keys: string[] }>();
    for (const [key] of page.filter(([, row]) => hasText(row))) {
      const source = sourceOf.get(readStatementKey(key).graph);
      if (!source) {
        areAll = false;
        continue;
      }
      const found = bySource.get(sourceKey(source)) ?? { source, keys: [] };
      bySource.set(sourceKey(source), found);
      found.keys.push(key);
      some += 1;
    }
    for (const { source, keys } of bySource.values())
      await registry.exclusive(source, async () =>
        store.write({ rows: await slim(store, keys), durable: false }),
      );
    if (bySource.size > 0) await options.clock.sleep(REST, signal);
    signal.throwIfAborted();
  }
  if (!areAll) return;
  // What was deleted stays in the files until LevelDB merges them.
  if (some > 0) await store.compact('statement');
  await store.write({ rows: [TABLES.meta('slim', true)], durable: true });
}

/** Those rows, as they are now, without text: while a source is held, nothing changes them. */
async function slim(store: QuadStore, keys: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const key of keys) {
    const row = await store.text('statement', key);
    if (row !== undefined && hasText(row))
      rows.push(TABLES.statement(key, statementRow(readStatementRow(row))));
  }
  return rows;
}
