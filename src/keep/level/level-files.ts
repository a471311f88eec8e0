import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { flushDirectory } from '../../lib/flush-directory.js';
import { KeepDamaged, KeepUnusable } from '../faults.js';

/**
 * Rows repeat what their neighbours say: in blocks of 16 kB they take a third less than in those of 4 kB. LevelDB maps each table that
 * is open into memory, where a start has read all of them: 74 files, of 1 MB each, are the least that it takes.
 */
const FILES = { blockSize: 16_384, maxOpenFiles: 74, maxFileSize: 1_048_576 } as const;

/** Texts under texts. */
export type Level = ClassicLevel<string, string>;

/** Of a database that has been used; the first manifest alone is what a process leaves that was killed while it made one. */
const OF_A_DATABASE = /^(\d+\.(log|ldb|sst)|MANIFEST-(?!000001$)\d+)$/;
const CURRENT = 'CURRENT';
/** Ends the name of a directory that a repair puts together and then moves into place. */
export const REPAIRED = '.repaired';

/**
 * Opens the database in a directory, and makes both when there are none.
 * @throws KeepDamaged; KeepUnusable, also where another process uses it
 */
export async function openLevel(directory: string): Promise<Level> {
  const isNew = await isEmpty(directory);
  const level: Level = new ClassicLevel(directory, { keyEncoding: 'utf8', valueEncoding: 'utf8', ...FILES });
  try {
    await level.open({ createIfMissing: isNew });
    return level;
  } catch (error) {
    throw openingFault(directory, error);
  }
}

/** LevelDB would make an empty database, and delete the tables, where the file that names them is missing. @throws KeepDamaged */
async function isEmpty(directory: string): Promise<boolean> {
  try {
    const made = await mkdir(directory, { recursive: true, mode: 0o700 });
    // From the innermost to the outermost.
    for (let one = resolve(directory); made && one !== dirname(resolve(made)); one = dirname(one))
      await flushDirectory(dirname(one));
  } catch (cause) {
    throw new KeepUnusable(`The data directory ${directory} cannot be made; set another dataDir`, { cause });
  }
  const names = await readdir(directory);
  if (names.includes(CURRENT)) return false;
  const orphan = names.find((name) => OF_A_DATABASE.test(name));
  if (orphan) throw new KeepDamaged(directory, `the file CURRENT is missing, and ${orphan} is there`);
  await refuseInterruptedRepair(directory);
  return true;
}

/** A repair ends with two moves; between them what was saved is beside the place that it belongs to. @throws KeepUnusable */
async function refuseInterruptedRepair(directory: string): Promise<void> {
  const name = basename(directory);
  if ((await readdir(dirname(directory))).includes(`${name}${REPAIRED}`))
    throw new KeepUnusable(
      `A repair was interrupted: ${directory} is empty, and what was saved is in ${name}${REPAIRED} beside it; ` +
        `remove the empty one, and rename that to ${name}`,
    );
}

function openingFault(directory: string, error: unknown): KeepUnusable {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  const { code } = cause as { code?: string };
  if (code === 'LEVEL_LOCKED')
    return new KeepUnusable(
      `The data directory ${directory} is in use by another process, probably a second node: ` +
        'stop it, or set another dataDir (REGISTRY_DATA_DIR)',
      { cause },
    );
  return new KeepDamaged(directory, 'LevelDB cannot open it', { cause });
}

/** What an error of a read means: that files are damaged where LevelDB says so, else itself. */
export function readFault(level: Level, error: unknown): unknown {
  const { code } = error as { code?: string };
  if (code !== 'LEVEL_CORRUPTION' && code !== 'LEVEL_IO_ERROR') return error;
  return new KeepDamaged(level.location, 'LevelDB cannot read a part of it', { cause: error });
}
