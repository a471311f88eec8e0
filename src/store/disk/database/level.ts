import { mkdir } from 'node:fs/promises';
import type { AbstractLevel } from 'abstract-level';
import { ClassicLevel } from 'classic-level';
import { UnusableData } from '../../unusable-data.js';

/** Any database of the Level family; quadstore writes UTF-8 keys. */
export type Level = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/** Opens (and makes, if need be) the database in a directory. @throws UnusableData */
export async function openLevel(directory: string): Promise<Level> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (cause) {
    throw new UnusableData(`The data directory ${directory} cannot be made`, { cause });
  }
  const level = new ClassicLevel<string, string>(directory, {
    keyEncoding: 'utf8',
    valueEncoding: 'utf8',
  });
  try {
    await level.open();
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    const locked = (cause as { code?: string }).code === 'LEVEL_LOCKED';
    throw new UnusableData(
      locked
        ? `The data directory ${directory} is in use by another process; stop it, or set another dataDir`
        : `The data directory ${directory} cannot be opened`,
      { cause },
    );
  }
  return level as unknown as Level;
}
