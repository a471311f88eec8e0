import { copyFile, link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../../lib/faults.js';
import type { Pace } from '../../../lib/pace.js';
import { UnusableData } from '../../unusable-data.js';
import { lastChanges, missingChanges } from '../database/acknowledged.js';
import { DamagedData, readFault } from '../database/damage.js';
import { type Level, openLevel } from '../database/level.js';
import { damagedTables, REPAIRED, TABLE } from '../database/level-files.js';
import { unseal } from '../database/seal.js';
import { madeReportable } from '../leveldb/table.js';

/** What was found out about one database, in sentences for the operator. */
export interface Findings {
  /** What is damaged. */
  readonly damaged: string[];
  /** What has been made from what is left. */
  readonly rebuilt: string[];
  /** What is gone; how it can come back. */
  readonly lost: string[];
}

/** What is known once the database can be read again. */
export interface Salvage {
  /** Where the database has been, with what lies beside its files. */
  readonly directory: string;
  /** Keys whose values, or which themselves, were damaged; they have been removed. */
  readonly removed: readonly string[];
  /** Files were damaged, so that changes may be missing without a trace. */
  readonly incomplete: boolean;
}

/** Makes what is left of one kind of database consistent, adds to the findings, and closes it. */
export type Reconcile = (level: Level, salvage: Salvage, findings: Findings) => Promise<void>;

/**
 * Looks for damage in a database, and says what can be saved. It works on a copy beside the
 * database (of links, for LevelDB never changes a file that it has finished); `apply` puts the copy in its place,
 * and keeps the damaged files under another name. @returns `undefined` when there is no database, or the directory that keeps the damaged files
 * @throws UnusableData when a process uses it, or when nothing can be read at all
 */
export async function repairDatabase(
  directory: string,
  { apply, reconcile, suffix, pace }: { apply: boolean; reconcile: Reconcile; suffix: string; pace: Pace },
): Promise<{ findings: Findings; kept?: string } | undefined> {
  const names = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new UnusableData(`The data directory ${directory} cannot be read: ${explain(cause)}`, { cause });
  });
  if (names.length === 0) return undefined;
  await refuseWhenInUse(directory);
  const copy = directory + REPAIRED;
  await rm(copy, { recursive: true, force: true });
  await copyFiles(directory, names, copy);
  await markDamagedTables(copy);
  const findings: Findings = { damaged: [], rebuilt: [], lost: [] };
  const opened = await readable(copy, findings, pace);
  const missing = await missingChanges(opened, directory);
  if (missing > 0) findings.damaged.push(lastChanges(missing));
  const incomplete = findings.damaged.length > 0;
  const { level, removed } = await withoutDamaged(opened, copy, findings, pace);
  try {
    await reconcile(level, { directory, removed, incomplete }, findings);
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    // Everything could be read in order, and a search for single keys fails: a new copy can be searched.
    findings.damaged.push(error.what);
    const copied = await rescued(await openLevel(copy), copy, pace);
    await reconcile(copied, { directory, removed, incomplete: true }, findings);
  }
  if (!apply || findings.damaged.length === 0) {
    await rm(copy, { recursive: true, force: true });
    return { findings };
  }
  const kept = `${directory}.damaged-${suffix}`;
  await rename(directory, kept);
  await rename(copy, directory);
  return { findings, kept };
}

/** LevelDB takes its lock before it refuses to open what exists: nothing is changed by asking. */
async function refuseWhenInUse(directory: string): Promise<void> {
  const level = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  const error = await level.open().catch((reason: Error) => reason);
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: string };
  if (code === 'LEVEL_LOCKED') {
    throw new UnusableData(`The data directory ${directory} is in use by another process; stop it first`);
  }
}

async function copyFiles(from: string, names: readonly string[], to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const name of names.filter((one) => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(one))) {
    // Not every file system has links.
    await link(join(from, name), join(to, name)).catch(() => copyFile(join(from, name), join(to, name)));
  }
}

/** Makes LevelDB report damaged blocks of tables: it does not survive reading all of them as they are. */
async function markDamagedTables(copy: string): Promise<void> {
  const tables = (await readdir(copy)).filter((name) => TABLE.test(name));
  for await (const { name, file, damage } of damagedTables(copy, tables)) {
    // It is a link to the file that is to stay as it is.
    await rm(join(copy, name));
    await writeFile(join(copy, name), madeReportable(file, damage));
  }
}

/** Opens the copy, after LevelDB's own repair, or without what cannot be read, where it needs that. */
async function readable(copy: string, { damaged }: Findings, pace: Pace): Promise<Level> {
  const level = await openLevel(copy).catch(async (error) => {
    if (!(error instanceof UnusableData)) throw error;
    damaged.push(error instanceof DamagedData ? error.what : error.message);
    await ClassicLevel.repair(copy);
    // It leaves tables alone of which only the filters are damaged.
    const repaired = await openLevel(copy, async () => undefined);
    // The repair puts all tables on one level, where a search may find an older value first. Compacting orders them,
    // and writes all of them anew.
    await (repaired as unknown as ClassicLevel<string, string>)
      .compactRange('\0', '\uffff')
      .catch(() => undefined);
    // It also believes the sequence numbers of damaged changes, and no number may come after the highest: a new
    // database counts from one.
    return rescued(repaired, copy, pace);
  });
  const fault = await readFaultOf(level, pace);
  if (fault === undefined) return level;
  damaged.push(`LevelDB cannot read all of it: ${fault}`);
  return rescued(level, copy, pace);
}

/**
 * Why not everything can be read. Backwards, too: LevelDB goes by other parts of its tables then, which are those
 * that it looks single keys up by.
 */
async function readFaultOf(level: Level, pace: Pace): Promise<string | undefined> {
  const breathe = pace();
  const counts: number[] = [];
  try {
    for (const reverse of [false, true]) {
      let count = 0;
      for await (const _entry of level.iterator<Buffer, Buffer>({ ...BYTES, reverse })) {
        count += 1;
        await breathe();
      }
      counts.push(count);
    }
  } catch (error) {
    return explain(error);
  }
  const [forwards, backwards] = counts;
  return forwards === backwards ? undefined : `${forwards} entries forwards, ${backwards} backwards`;
}

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' };

/** Everything in a database that can be read and is wanted, in a new one in its place. */
async function rescued(
  level: Level,
  place: string,
  pace: Pace,
  isWanted: (key: Buffer, value: Buffer) => boolean = () => true,
): Promise<Level> {
  const directory = `${place}.new`;
  await rm(directory, { recursive: true, force: true });
  const target = await openLevel(directory);
  const breathe = pace();
  let last: Buffer | undefined;
  // One at a time: LevelDB passes over what it cannot read, and tells when it has come to the end.
  for (let more = true; more; ) {
    const iterator = level.iterator<Buffer, Buffer>({ ...BYTES, ...(last ? { gt: last } : {}) });
    more = false;
    try {
      for (let [entry] = await iterator.nextv(1); entry; [entry] = await iterator.nextv(1)) {
        if (isWanted(...entry)) await target.put(entry[0] as never, entry[1] as never, BYTES as never);
        [last] = entry;
        more = true;
        await breathe();
      }
      more = false;
    } catch (error) {
      if (readFault(place, error) === error) throw error;
    } finally {
      await iterator.close();
    }
  }
  await Promise.all([level.close(), target.close()]);
  await rm(place, { recursive: true });
  await rename(directory, place);
  return openLevel(place);
}

/**
 * The database without what does not match its checksum. It is written anew: a damaged key is out of order, and
 * LevelDB then does not find its neighbours either.
 */
async function withoutDamaged(
  level: Level,
  place: string,
  { damaged }: Findings,
  pace: Pace,
): Promise<{ level: Level; removed: string[] }> {
  const isGood = (key: string, value: string) => unseal(key, value) !== undefined;
  const removed: string[] = [];
  const breathe = pace();
  // As bytes: what is damaged need not be text.
  for await (const [key, value] of level.iterator<Buffer, Buffer>(BYTES)) {
    if (!isGood(key.toString(), value.toString())) removed.push(key.toString());
    await breathe();
  }
  damaged.push(...removed.map((key) => `checksum of ${described(key)}`));
  if (removed.length === 0) return { level, removed };
  const good = await rescued(level, place, pace, (key, value) => isGood(key.toString(), value.toString()));
  return { level: good, removed };
}

function described(key: string): string {
  const [, table, row] = /^!([^!]*)!(.*)$/s.exec(key) ?? [];
  if (table !== undefined) return `the row "${row}" of the table "${table}"`;
  const [, graph = '', subject = ''] = key.split('\0\0');
  return `a quad of ${subject} in the graph ${graph}`;
}
