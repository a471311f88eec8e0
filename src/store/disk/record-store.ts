import { newerLayout, type RecordStore, type RecordStoreOptions } from '../record-store.js';
import { UnusableData } from '../unusable-data.js';
import { openLevel } from './database/level.js';
import { QuadStore } from './database/quad-store.js';

/** The records in a directory of their own: a LevelDB database with checksums, and quads beside its tables. */
export async function openDiskRecords(directory: string, options: RecordStoreOptions): Promise<RecordStore> {
  const { clock, pace, log, layout } = options;
  const store = await QuadStore.open(await openLevel(directory), { clock, pace, log, schema: layout.schema });
  try {
    await checkLayout(store, layout.schema);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    rows: (table) => store.rows(table),
    quads: (graph) => store.read({ graph }),
    prepare: (quads) => store.prepare({ ...quads, durable: true }),
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
  };
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
