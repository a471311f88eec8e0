import { mkdir } from 'node:fs/promises';
import type { AbstractLevel } from 'abstract-level';
import { ClassicLevel } from 'classic-level';
import { UnusableData } from '../../unusable-data.js';
import { DamagedData, WAY_OUT } from './damage.js';
import { checkFiles } from './level-files.js';

/** Any database of the Level family; quadstore writes UTF-8 keys. */
export type Level = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/**
 * Opens (and makes, if need be) the database in a directory, after looking at its files.
 * @throws UnusableData, DamagedData
 */
export async function openLevel(directory: string, check = checkFiles): Promise<Level> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new UnusableData(`The data directory ${directory} cannot be made`, { cause });
  }
  await check(directory);
  const level = new ClassicLevel<string, string>(directory, { keyEncoding: 'utf8', valueEncoding: 'utf8' });
  try {
    await level.open();
  } catch (error) {
    throw openingFault(directory, error);
  }
  return level as unknown as Level;
}

function openingFault(directory: string, error: unknown): UnusableData {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  const { code } = cause as { code?: string };
  if (code === 'LEVEL_LOCKED') {
    return new UnusableData(
      `The data directory ${directory} is in use by another process; stop it, or set another dataDir`,
      { cause },
    );
  }
  if (code === 'LEVEL_CORRUPTION') return new DamagedData(directory, 'LevelDB cannot read it', { cause });
  return new UnusableData(`The data directory ${directory} cannot be opened; if it is damaged, ${WAY_OUT}`, {
    cause,
  });
}

/** Where the database is on disk; `undefined` for one in memory. */
export function locationOf(level: Level): string | undefined {
  return 'location' in level && typeof level.location === 'string' ? level.location : undefined;
}
