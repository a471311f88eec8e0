import { constants } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { flushDirectory } from '../../lib/flush-directory.js';
import { unlessMissing } from '../../lib/missing-file.js';
import { KeepUnusable } from '../faults.js';
import type { Place } from '../keep.js';
import type { Findings, Salvage } from '../salvage.js';
import { REPAIRED } from './level-files.js';
import { type LevelOptions, openLevelPlace } from './level-keep.js';
import { salvageLevel } from './salvage-level.js';

export interface RepairOptions extends LevelOptions {
  /** False: only looks. */
  readonly apply: boolean;
  /** Ends the name under which the damaged files are kept. */
  readonly suffix: string;
  /** Looks for what the services miss of what they have stored, and makes the rest consistent. */
  readonly mend: (place: Place, salvage: Salvage) => Promise<Findings>;
}

export interface Repair extends Findings {
  /** Where the damaged files are now; absent where nothing has been changed. */
  readonly kept?: string;
}

/**
 * Looks for damage in a directory that no process uses, and makes what is left of it whole: LevelDB's own repair
 * where it cannot read it to the end, without the rows and quads that are not what was written, and with new epochs,
 * so that nobody takes it for what it was. It reads a copy, and writes what is right to a directory beside; `apply`
 * puts that in its place.
 * @returns `undefined` when there is nothing
 * @throws KeepUnusable where it is in use, cannot be read at all, or has the layout of another version; what `mend` throws
 */
export async function repairDirectory(
  directory: string,
  options: RepairOptions,
): Promise<Repair | undefined> {
  if ((await namesIn(directory)).length === 0) return undefined;
  await refuseInUse(directory);
  const [from, saved] = [`${directory}.copied`, `${directory}${REPAIRED}`];
  try {
    for (const former of [from, saved]) await rm(former, { recursive: true, force: true });
    await mkdir(from, { mode: 0o700 });
    await cp(directory, from, { recursive: true, mode: constants.COPYFILE_FICLONE });
    const { damaged, ...salvage } = await salvageLevel(from, saved, options.unique);
    const place = await openLevelPlace(saved, options);
    const mended = await options.mend(place, salvage).finally(() => place.close());
    const repair = { ...mended, damaged: [...damaged, ...mended.damaged] };
    if (!options.apply || repair.damaged.length === 0) return repair;
    const kept = `${directory}.damaged-${options.suffix}`;
    await putInPlace(saved, directory, kept);
    return { ...repair, kept };
  } finally {
    await rm(from, { recursive: true, force: true });
    // Between the two moves what was saved is all that there is.
    if ((await namesIn(directory)).length > 0) await rm(saved, { recursive: true, force: true });
  }
}

/** Each step is on disk before the next one: a crash leaves the copy or the damaged files where a start sees them. */
async function putInPlace(copy: string, directory: string, kept: string): Promise<void> {
  const parent = dirname(directory);
  await flushDirectory(copy);
  await flushDirectory(parent);
  await rename(directory, kept);
  await flushDirectory(parent);
  await rename(copy, directory);
  await flushDirectory(parent);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory).catch(unlessMissing)) ?? [];
  } catch (cause) {
    throw new KeepUnusable(`The data directory ${directory} cannot be read: ${explain(cause)}`, { cause });
  }
}

/** LevelDB takes its lock before it refuses to open what exists: nothing is changed by asking. */
async function refuseInUse(directory: string): Promise<void> {
  const level = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  const error = await level.open().catch((reason: Error) => reason);
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: string };
  if (code === 'LEVEL_LOCKED')
    throw new KeepUnusable(`The data directory ${directory} is in use by another process; stop it first`);
}
