import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { flushDirectory } from '../../lib/flush-directory.js';
import { unlessMissing } from '../../lib/missing-file.js';
import { KeepDamaged, KeepLocked, KeepUnusable } from '../faults.js';
import { type Head, type Place, SERVICES } from '../keep.js';
import type { Findings, Salvage } from '../salvage.js';
import { sealedRow } from '../stored-row.js';
import { lastCommits, missingCommits } from './acknowledged.js';
import { type Level, openLevel, REPAIRED, readFault } from './level-files.js';
import { type LevelOptions, openLevelPlace } from './level-keep.js';
import { quadUnder } from './quads.js';
import {
  HEAD,
  isRowKey,
  type RowName,
  readRowKey,
  rowKey,
  SCHEMA,
  SCHEMA_KEY,
  sealed,
  unsealed,
} from './row-keys.js';

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

type Entry = readonly [key: Buffer, value: Buffer];

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
/** Entries that are read at a time. */
const PORTION = 500;

/**
 * Looks for damage in a directory that no process uses, and makes what is left of it whole: LevelDB's own repair where it cannot open it,
 * without the rows and quads that are not what was written, and with new epochs, so that nobody takes it for what it was. It reads a
 * copy, and writes what is right to a directory beside; `apply` puts that in its place.
 * @returns `undefined` when there is nothing
 * @throws KeepLocked; KeepUnusable when nothing can be read at all, or it has the layout of another version; what `mend` throws
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
    const { damaged, ...salvage } = await savedFrom(from, saved, options.unique);
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
    throw new KeepLocked(`The data directory ${directory} is in use by another process; stop it first`);
}

/** Writes nothing but what was written before to a new directory. */
async function savedFrom(
  from: string,
  to: string,
  unique: () => string,
): Promise<Salvage & Pick<Findings, 'damaged'>> {
  const damaged: string[] = [];
  const level = await readable(from, damaged);
  const target = await openLevel(to);
  try {
    const found = new Salvaging();
    const fault = await copyRight(level, target, found);
    if (!found.hasRows && found.quads + found.graphs.size > 0) throw otherLayout();
    if (fault !== undefined) damaged.push(fault);
    for (const [service, { version }] of found.heads) {
      const missing = await missingCommits(from, service, version);
      if (missing > 0) damaged.push(lastCommits(service, missing));
    }
    const { rows, quads, graphs } = found;
    // What has lost its name may have belonged to anybody.
    const isIncomplete = damaged.length > 0 || rows.some(({ service }) => service === '');
    if (found.hasRows && !found.hasSchema) damaged.push('the note of the layout is not what was written');
    damaged.push(...rows.map(describedRow));
    if (quads > 0) damaged.push(`${quads} quads cannot be read`);
    const batch = target.batch().put(SCHEMA_KEY, SCHEMA);
    for (const [service, { version }] of damaged.length > 0 ? found.heads : []) {
      const head: Head = { epoch: unique(), version: version + 1, mark: unique() };
      const row = sealedRow(HEAD.table, HEAD.key, JSON.stringify(head));
      batch.put(rowKey({ service, ...HEAD }), sealed(row));
    }
    await batch.write({ sync: true } as object);
    return { damaged, isIncomplete, rows, quads, graphs };
  } finally {
    await Promise.all([level.close(), target.close()]);
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

/**
 * Copies what can be read of a database and is right into an empty one: in the old one, LevelDB would not find the neighbours of a
 * damaged key, and would go on with the numbers of damaged commits. Reads in both directions, because LevelDB goes by other parts of
 * its tables when it looks single keys up. @returns why not everything can be read
 */
async function copyRight(level: Level, target: Level, found: Salvaging): Promise<string | undefined> {
  let [count, isInOrder] = [0, true];
  let last: Buffer | undefined;
  let batch = target.batch();
  const copy = async (range: object, size: number) => {
    for await (const [key, value] of entriesOf(level, range, size)) {
      isInOrder &&= last === undefined || Buffer.compare(last, key) < 0;
      last = key;
      if (await found.isRight(key, value)) batch.put(key as never, value as never, BYTES as never);
      count += 1;
      if (batch.length < PORTION) continue;
      await batch.write();
      batch = target.batch();
    }
  };
  try {
    // LevelDB passes over what it cannot read, and fails when it has come to the end. What was read together with the failure is
    // lost with it, so it is read once more, one by one.
    await copy({}, PORTION).catch(async (error) => {
      await copy(last ? { gt: last } : {}, 1);
      throw error;
    });
    for await (const _entry of entriesOf(level, { reverse: true })) count -= 1;
  } catch (error) {
    if (readFault(level, error) === error) throw error;
    return `LevelDB cannot read all of it (${explain(error)})`;
  } finally {
    await batch.write();
  }
  if (count === 0 && isInOrder) return undefined;
  return 'LevelDB finds other entries forwards than backwards, or not in their order';
}

async function* entriesOf(level: Level, range: object, size = PORTION): AsyncGenerator<Entry> {
  const iterator = level.iterator<Buffer, Buffer>({ ...BYTES, ...range, fillCache: false } as object);
  try {
    for (let entries = await iterator.nextv(size); entries.length > 0; entries = await iterator.nextv(size))
      yield* entries;
  } finally {
    await iterator.close();
  }
}

/** What is found in a database, beside what is as it was written. */
class Salvaging {
  readonly rows: RowName[] = [];
  readonly graphs = new Set<string>();
  readonly heads = new Map<string, Head>();
  quads = 0;
  /** Is there anything that is no quad? */
  hasRows = false;
  hasSchema = false;

  /** Is it what was written? Otherwise it is noted. @throws KeepUnusable for the layout of another version */
  async isRight(key: Buffer, value: Buffer): Promise<boolean> {
    const [name, text] = [key.toString(), value.toString()];
    this.hasRows ||= name === SCHEMA_KEY || isRowKey(name);
    if (name === SCHEMA_KEY) {
      if (text !== SCHEMA && /^\d+$/.test(text)) throw otherLayout();
      this.hasSchema = text === SCHEMA;
      return this.hasSchema;
    }
    if (isRowKey(name)) return this.#isRightRow(name, isUtf8(key) ? value : Buffer.alloc(0));
    const quad = isUtf8(key) ? await quadUnder(name) : undefined;
    if (quad) this.graphs.add(quad.graph.value);
    else this.quads += 1;
    return quad !== undefined;
  }

  #isRightRow(name: string, stored: Buffer): boolean {
    const named = readRowKey(name);
    const isKnown = named !== undefined && (SERVICES as readonly string[]).includes(named.service);
    const row = isKnown ? unsealed(named.table, named.key, stored) : undefined;
    if (isKnown && row?.table === HEAD.table) this.heads.set(named.service, JSON.parse(row.value));
    if (!row) this.rows.push(isKnown ? named : { service: '', table: '', key: name });
    return row !== undefined;
  }
}

function otherLayout(): KeepUnusable {
  return new KeepUnusable(
    'The data has the layout of another version of the software: repair it with that version, or export it there',
  );
}

/** For messages. */
function describedRow({ service, table, key }: RowName): string {
  if (table === '') return `an entry under the key ${JSON.stringify(key)} is not what was written`;
  if (table === HEAD.table) return `the row of the head of the ${service} is not what was written`;
  return `the row "${key}" of the table "${table}" (${service}) is not what was written`;
}
