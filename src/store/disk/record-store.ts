import type { Quad } from '@rdfjs/types';
import type { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { newerLayout, type RecordRow, type RecordStore, type RecordStoreOptions } from '../record-store.js';
import { UnusableData } from '../unusable-data.js';
import { type Level, openLevel } from './database/level.js';
import { QuadStore } from './database/quad-store.js';

/** The records in a directory of their own: a LevelDB database with checksums, and quads beside its tables. */
export async function openDiskRecords(directory: string, options: RecordStoreOptions): Promise<RecordStore> {
  const { clock, pace, log, layout } = options;
  const level = await openLevel(directory);
  const store = await QuadStore.open(level, { clock, pace, log });
  try {
    await checkLayout(store, layout.schema);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    rows: (table) => store.rows(table),
    quads: (graph) => store.read(graph.value),
    prepare: async (quads) => {
      const { write, discard } = await store.prepare({ ...quads, durable: true });
      let rows: readonly RecordRow[] = [];
      return {
        discard,
        write(written = []) {
          rows = written;
          return write(written);
        },
        erase: () =>
          eraseFiles(level, store, { remove: quads.remove ?? [], rows }).catch((error) => {
            log.warn(
              { directory, error: explain(error) },
              'deleted records may still be in the files of the database',
            );
          }),
      };
    },
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
  };
}

/**
 * LevelDB keeps what was deleted in its files until it merges them, and leaves a file alone that holds a value and its
 * deletion both: so what was removed is deleted once more, above that file, and merged again.
 */
async function eraseFiles(
  level: Level,
  store: QuadStore,
  change: { readonly remove: readonly Quad[]; readonly rows: readonly RecordRow[] },
): Promise<void> {
  const files = level as unknown as ClassicLevel<string, string>;
  const rows = change.rows.filter(({ value }) => value === undefined);
  const graphs = new Set(change.remove.map(({ graph }) => `GSPO\0\0${graph.value}\0`));
  const merge = async () => {
    for (const start of graphs) await files.compactRange(`${start}\0`, `${start}\u0001`);
    for (const table of new Set(rows.map((row) => row.table)))
      await files.compactRange(`!${table}!`, `!${table}"`);
  };
  await merge();
  await store.write({ remove: change.remove, rows, durable: true });
  await merge();
}

/** Refuses the layout of a newer release; notes this one in a new database. @throws UnusableData, DamagedData */
async function checkLayout(store: QuadStore, known: number): Promise<void> {
  // A damaged key would hide the row from the lookup below; reading all rows finds the damage.
  for await (const _row of store.rows('meta'));
  const found = await store.row<number>('meta', 'schema');
  if (found !== undefined && found > known) throw new UnusableData(newerLayout(store.place, found, known));
  if (found !== undefined) return;
  await store.write({ rows: [{ table: 'meta', key: 'schema', value: known }], durable: true });
}
