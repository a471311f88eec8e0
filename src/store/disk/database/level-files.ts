import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UnusableData } from '../../unusable-data.js';
import { logDamage } from '../leveldb/log.js';
import { liveTables } from '../leveldb/manifest.js';
import { type TableDamage, tableDamage } from '../leveldb/table.js';
import { DamagedData } from './damage.js';

const LOG = /^\d+\.log$/;
/** A table of LevelDB. */
export const TABLE = /^\d+\.(ldb|sst)$/;
/** What a directory holds as long as nothing has ever been written. */
const FIRST_MANIFEST = 'MANIFEST-000001';
/** Ends the name of a directory that `repair` puts together and then moves into place. */
export const REPAIRED = '.repaired';

/**
 * Looks at the files of a database before LevelDB does: it makes an empty database, and deletes the tables, where
 * the file that names them is missing, and passes over damaged changes.
 * @throws DamagedData that names the file
 */
export async function checkFiles(directory: string): Promise<void> {
  const names = await readdir(directory);
  if (!names.includes('CURRENT')) return refuseOrphans(directory, names);
  const manifest = (await readFile(join(directory, 'CURRENT'), 'utf8')).trim();
  if (!names.includes(manifest)) {
    throw new DamagedData(directory, `the file CURRENT names "${manifest}", which is not there`);
  }
  const logs = names.filter((name) => LOG.test(name));
  if (logs.length === 0 && manifest !== FIRST_MANIFEST) {
    throw new DamagedData(directory, 'the log of the latest changes (<number>.log) is missing');
  }
  for (const name of [manifest, ...logs]) {
    const damage = logDamage(await readFile(join(directory, name)));
    if (damage) throw new DamagedData(directory, `the file ${name} (${damage})`);
  }
  const live = liveTables(await readFile(join(directory, manifest)));
  const tables = names.filter((name) => TABLE.test(name) && live.has(Number.parseInt(name, 10)));
  for await (const { name, damage } of damagedTables(directory, tables)) {
    throw new DamagedData(directory, `the file ${name} (${damage.what})`);
  }
}

/** Those of these tables that are damaged. */
export async function* damagedTables(
  directory: string,
  names: readonly string[],
): AsyncGenerator<{ name: string; file: Buffer; damage: TableDamage }> {
  const read = (name = '') => readFile(join(directory, name));
  // The next file is read while one is being looked at.
  let next = names.length > 0 ? read(names[0]) : undefined;
  for (const [i, name] of names.entries()) {
    const file = await next;
    next = i + 1 < names.length ? read(names[i + 1]) : undefined;
    // Its reader hears of a failure, unless it breaks off before.
    next?.catch(() => undefined);
    const damage = file && tableDamage(file);
    if (damage) yield { name, file, damage };
  }
}

async function refuseOrphans(directory: string, names: readonly string[]): Promise<void> {
  const orphan = names.find(
    (name) => LOG.test(name) || TABLE.test(name) || (name.startsWith('MANIFEST-') && name !== FIRST_MANIFEST),
  );
  if (orphan) {
    throw new DamagedData(directory, `the file CURRENT is missing, and ${orphan} is there`);
  }
  const repaired = basename(directory) + REPAIRED;
  if ((await readdir(join(directory, '..'))).includes(repaired)) {
    throw new UnusableData(
      `A repair was interrupted: ${directory} is empty, and what was saved is in ${repaired} beside it; rename that to ${basename(directory)}`,
    );
  }
}
