import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { flushDirectory } from '../../lib/flush-directory.js';
import { unlessMissing } from '../../lib/missing-file.js';
import { KeepDamaged, KeepLocked, KeepUnusable } from '../faults.js';
import { type Head, type Place, SERVICES } from '../keep.js';
import type { Findings, Salvage } from '../salvage.js';
import { lastCommits, missingCommits } from './acknowledged.js';
import { DAMAGED, type Level, openLevel, REPAIRED } from './level-files.js';
import { type LevelOptions, openLevelPlace } from './level-keep.js';
import { HEAD, rowKey, SCHEMA, SCHEMA_KEY, sealed, unsealed } from './row-keys.js';
import { describedRow, salvaged } from './salvaged.js';

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

const OF_LEVELDB = /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/;

/**
 * Looks for damage in a directory that no process uses, and makes what is left of it whole: LevelDB's own repair where it cannot open it,
 * without the rows and quads that are not what was written, and with new epochs, so that nobody takes it for what it was. It reads a
 * copy (of links, for LevelDB never changes a file that it has finished), and writes what is right to a directory beside; `apply`
 * puts that in its place.
 * @returns `undefined` when there is nothing
 * @throws KeepLocked; KeepUnusable when nothing can be read at all; what `mend` throws
 */
export async function repairDirectory(
  directory: string,
  options: RepairOptions,
): Promise<Repair | undefined> {
  const names = await namesIn(directory);
  if (names.length === 0) return undefined;
  await refuseInUse(directory);
  const [from, saved] = [`${directory}.copied`, `${directory}${REPAIRED}`];
  const kept = `${directory}${DAMAGED}${options.suffix}`;
  try {
    await copied(directory, names, from);
    const { damaged, ...salvage } = await savedFrom(from, saved, directory, options.unique);
    const place = await openLevelPlace(saved, options);
    const mended = await options.mend(place, salvage).finally(() => place.close());
    const repair = { ...mended, damaged: [...damaged, ...mended.damaged] };
    if (!options.apply || repair.damaged.length === 0) return repair;
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

/** Writes nothing but what was written before to a directory. `directory`: whose files these are copies of. */
async function savedFrom(
  from: string,
  to: string,
  directory: string,
  unique: () => string,
): Promise<Salvage & Pick<Findings, 'damaged'>> {
  const damaged: string[] = [];
  await rm(to, { recursive: true, force: true });
  const level = await readable(from, damaged);
  const target = await openLevel(to);
  try {
    const { fault, rows, quads, graphs, hasRows } = await salvaged(level, target);
    if (fault !== undefined) damaged.push(fault);
    const heads = await headsIn(target);
    for (const [service, { version }] of heads) {
      const missing = await missingCommits(directory, service, version);
      if (missing > 0) damaged.push(lastCommits(service, missing));
    }
    // What has lost its name may have belonged to anybody.
    const isIncomplete = damaged.length > 0 || rows.some(({ service }) => service === '');
    if (hasRows && (await target.get(SCHEMA_KEY)) !== SCHEMA)
      damaged.push('the note of the layout is not what was written');
    damaged.push(...rows.map(describedRow));
    if (quads > 0) damaged.push(`${quads} quads cannot be read`);
    if (damaged.length > 0) await beginAnew(target, heads, unique);
    return { damaged, isIncomplete, rows, quads, graphs };
  } finally {
    await Promise.all([level.close(), target.close()]);
  }
}

/** LevelDB takes its lock before it refuses to open what exists: nothing is changed by asking. */
async function refuseInUse(directory: string): Promise<void> {
  const level = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  const error = await level.open().catch((reason: Error) => reason);
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: string };
  if (code === 'LEVEL_LOCKED')
    throw new KeepLocked(`The data directory ${directory} is in use by another process; stop it first`);
}

async function copied(from: string, names: readonly string[], to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: 0o700 });
  for (const name of names.filter((one) => OF_LEVELDB.test(one))) {
    // Not every file system has links.
    await link(join(from, name), join(to, name)).catch(() => copyFile(join(from, name), join(to, name)));
  }
}

/** Opens the copy, after LevelDB's own repair where it needs that. */
async function readable(copy: string, damaged: string[]): Promise<Level> {
  try {
    return await openLevel(copy);
  } catch (error) {
    if (!(error instanceof KeepDamaged)) throw error;
    const { what, cause } = error;
    damaged.push(cause === undefined ? what : `${what} (${explain(cause)})`);
  }
  try {
    await ClassicLevel.repair(copy);
    return await openLevel(copy);
  } catch (cause) {
    throw new KeepUnusable(`Nothing can be saved of ${copy}: restore a backup`, { cause });
  }
}

/** The heads of the services that have one. */
async function headsIn(level: Level): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  for (const service of SERVICES) {
    const stored = await level.get(rowKey({ service, ...HEAD }));
    const row = stored === undefined ? undefined : unsealed(HEAD.table, HEAD.key, stored);
    if (row) heads.set(service, JSON.parse(row.value));
  }
  return heads;
}

async function beginAnew(
  level: Level,
  heads: ReadonlyMap<string, Head>,
  unique: () => string,
): Promise<void> {
  const batch = level.batch();
  for (const [service, { version }] of heads) {
    const head: Head = { epoch: unique(), version: version + 1, mark: unique() };
    batch.put(rowKey({ service, ...HEAD }), sealed(HEAD.table, HEAD.key, JSON.stringify(head)));
  }
  batch.put(SCHEMA_KEY, SCHEMA);
  await batch.write({ sync: true } as object);
}
