import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { KeepDamaged, KeepLocked, KeepUnusable } from '../faults.js';
import type { Head } from '../keep.js';
import { Acknowledged, lastCommits } from './acknowledged.js';
import { type Level, openLevel } from './level-files.js';
import { damagedQuads } from './quads.js';
import { HEAD, type RowName, readRowKey, rowKey, SCHEMA, SCHEMA_KEY, sealed, unsealed } from './row-keys.js';

/** What was found out about one directory. */
export interface Repair {
  /** What is damaged, in sentences for the operator; nothing has been changed where this is empty. */
  readonly damaged: readonly string[];
  /** Rows that cannot be saved. */
  readonly rows: readonly RowName[];
  /** How many quads cannot be saved. */
  readonly quads: number;
  /** Where the damaged files are now; absent where nothing has been changed. */
  readonly kept?: string;
}

export interface RepairOptions {
  /** False: only looks. */
  readonly apply: boolean;
  /** Ends the name under which the damaged files are kept. */
  readonly suffix: string;
  /** Draws epochs and marks: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
}

interface Lost {
  readonly rows: RowName[];
  readonly quadKeys: string[];
  /** Heads of the services that can be read. */
  readonly heads: Map<string, Head>;
}

const OF_LEVELDB = /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/;
/** Keys that are read at a time. */
const PORTION = 1_000;

/**
 * Looks for damage in a directory that no process uses, and makes what is left of it whole: LevelDB's own repair, without the rows and
 * quads that are not what was written, and with new epochs, so that nobody takes it for what it was. It works on a copy beside the
 * directory (of links, for LevelDB never changes a file that it has finished); `apply` puts the copy in its place.
 * @throws KeepLocked; KeepUnusable when nothing can be read at all
 */
export async function repairDirectory(directory: string, options: RepairOptions): Promise<Repair> {
  const copy = `${directory}.repaired`;
  await refuseInUse(directory);
  await copied(directory, copy);
  try {
    const repair = await repairedCopy(directory, copy, options.unique);
    if (!options.apply || repair.damaged.length === 0) return repair;
    const kept = `${directory}.damaged-${options.suffix}`;
    await rename(directory, kept);
    await rename(copy, directory);
    return { ...repair, kept };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function repairedCopy(directory: string, copy: string, unique: () => string): Promise<Repair> {
  const damaged: string[] = [];
  const level = await readable(copy, damaged);
  try {
    const lost = await lostIn(level);
    for (const { service, table, key } of lost.rows)
      damaged.push(`the row "${key}" of the table "${table}" (${service}) is not what was written`);
    if (lost.quadKeys.length > 0) damaged.push(`${lost.quadKeys.length} quads cannot be read`);
    const acknowledged = await Acknowledged.in(directory);
    for (const [service, { version }] of lost.heads) {
      const missing = acknowledged.missing(service, version);
      if (missing > 0) damaged.push(lastCommits(service, missing));
    }
    if (damaged.length > 0) await dropLost(level, lost, unique);
    return { damaged, rows: lost.rows, quads: lost.quadKeys.length };
  } finally {
    await level.close();
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

async function copied(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: 0o700 });
  for (const name of (await readdir(from)).filter((one) => OF_LEVELDB.test(one))) {
    // Not every file system has links.
    await link(join(from, name), join(to, name)).catch(() => copyFile(join(from, name), join(to, name)));
  }
}

/** Opens the copy, after LevelDB's own repair where it needs that. */
async function readable(copy: string, damaged: string[]): Promise<Level> {
  try {
    const level = await openLevel(copy);
    try {
      await lostIn(level);
      return level;
    } catch (error) {
      await level.close();
      throw error;
    }
  } catch (error) {
    damaged.push(explain(error));
  }
  try {
    await ClassicLevel.repair(copy);
    const level = await openLevel(copy);
    // The repair puts all tables on one level, where a search may find an older value first. Compacting orders them.
    await level.compactRange('', '\uffff');
    return level;
  } catch (cause) {
    throw new KeepUnusable(`Nothing can be saved of ${copy}: restore a backup`, { cause });
  }
}

/** @throws KeepDamaged when not everything can be read */
async function lostIn(level: Level): Promise<Lost> {
  const lost: Lost = { rows: [], quadKeys: [], heads: new Map() };
  const iterator = level.iterator({ gt: 'row/', lt: 'row0' });
  try {
    for (
      let entries = await iterator.nextv(PORTION);
      entries.length > 0;
      entries = await iterator.nextv(PORTION)
    )
      for (const [text, stored] of entries) {
        const name = readRowKey(text) ?? { service: '', table: '', key: text };
        const row = unsealed(name.table, name.key, stored);
        if (!row) lost.rows.push(name);
        else if (name.table === HEAD.table) lost.heads.set(name.service, JSON.parse(row.value));
      }
  } catch (cause) {
    throw new KeepDamaged(level.location, 'LevelDB cannot read a part of it', { cause });
  } finally {
    await iterator.close();
  }
  lost.quadKeys.push(...(await damagedQuads(level)));
  return lost;
}

async function dropLost(level: Level, { rows, quadKeys, heads }: Lost, unique: () => string): Promise<void> {
  const batch = level.batch();
  for (const key of [...rows.map(rowKey), ...quadKeys]) batch.del(key);
  for (const [service, { version }] of heads) {
    const head: Head = { epoch: unique(), version: version + 1, mark: unique() };
    batch.put(rowKey({ service, ...HEAD }), sealed(HEAD.table, HEAD.key, JSON.stringify(head)));
  }
  batch.put(SCHEMA_KEY, SCHEMA);
  await batch.write({ sync: true } as object);
}
