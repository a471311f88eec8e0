import { isUtf8 } from 'node:buffer';
import { rename, rm } from 'node:fs/promises';
import { explain } from '../../lib/faults.js';
import { SERVICES } from '../keep.js';
import { type Level, openLevel, readFault } from './level-files.js';
import { HEAD, type RowName, readRowKey, unsealed } from './row-keys.js';

type Entry = readonly [key: Buffer, value: Buffer];

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
/** Entries that are read at a time. */
const PORTION = 500;
const ROW = Buffer.from('row/');

/** What is the matter with a database as a whole. */
export interface Survey {
  /** Why not everything can be read. */
  readonly fault: string | undefined;
  /** Rows that are not what was written. */
  readonly rows: readonly RowName[];
}

/** Reads everything in both directions: LevelDB goes by other parts of its tables when it looks single keys up. */
export async function survey(level: Level): Promise<Survey> {
  const rows: RowName[] = [];
  const count = { forwards: 0, backwards: 0 };
  let last: Buffer | undefined;
  let isInOrder = true;
  try {
    for await (const entries of entriesOf(level, {})) {
      count.forwards += entries.length;
      for (const [key, value] of entries) {
        isInOrder &&= last === undefined || Buffer.compare(last, key) < 0;
        last = key;
        if (!isRight(key, value)) rows.push(nameOf(key));
      }
    }
    for await (const entries of entriesOf(level, { reverse: true })) count.backwards += entries.length;
  } catch (error) {
    if (readFault(level, error) === error) throw error;
    return { fault: `LevelDB cannot read all of it (${explain(error)})`, rows };
  }
  const { forwards, backwards } = count;
  if (isInOrder && forwards === backwards) return { fault: undefined, rows };
  return { fault: 'LevelDB finds other entries forwards than backwards, or not in their order', rows };
}

/**
 * Writes what can be read and is right into a new database in the place of this one, which is closed. In the old one, LevelDB would
 * not find the neighbours of a damaged key, and would go on with the numbers of damaged commits.
 */
export async function rescued(level: Level): Promise<{ level: Level; rows: readonly RowName[] }> {
  const { location } = level;
  const directory = `${location}.new`;
  await rm(directory, { recursive: true, force: true });
  const target = await openLevel(directory);
  const rows: RowName[] = [];
  for await (const entries of readableIn(level)) {
    const batch = target.batch();
    for (const [key, value] of entries)
      if (isRight(key, value)) batch.put(key as never, value as never, BYTES as never);
      else rows.push(nameOf(key));
    await batch.write();
  }
  await Promise.all([level.close(), target.close()]);
  await rm(location, { recursive: true });
  await rename(directory, location);
  return { level: await openLevel(location), rows };
}

/** All that LevelDB can read: it passes over the rest, and fails when it has come to the end. */
async function* readableIn(level: Level): AsyncGenerator<readonly Entry[]> {
  let last: Buffer | undefined;
  // What was read together with the failure is lost with it, so it is read once more, one by one.
  for (const size of [PORTION, 1])
    try {
      for await (const entries of entriesOf(level, last ? { gt: last } : {}, size)) {
        yield entries;
        last = entries.at(-1)?.[0];
      }
      return;
    } catch (error) {
      if (readFault(level, error) === error) throw error;
    }
}

async function* entriesOf(level: Level, range: object, size = PORTION): AsyncGenerator<readonly Entry[]> {
  const iterator = level.iterator<Buffer, Buffer>({ ...BYTES, ...range, fillCache: false } as object);
  try {
    for (;;) {
      const entries = await iterator.nextv(size);
      if (entries.length === 0) return;
      yield entries;
    }
  } finally {
    await iterator.close();
  }
}

/** Is it a row that was written, or no row? Of quads, quadstore tells. */
function isRight(key: Buffer, value: Buffer): boolean {
  if (!isUtf8(key)) return false;
  if (!key.subarray(0, ROW.length).equals(ROW)) return true;
  const name = readRowKey(key.toString());
  const isKnown = name !== undefined && (SERVICES as readonly string[]).includes(name.service);
  return isKnown && unsealed(name.table, name.key, value.toString()) !== undefined;
}

function nameOf(key: Buffer): RowName {
  return readRowKey(key.toString()) ?? { service: '', table: '', key: key.toString() };
}

/** For messages. */
export function describedRow({ service, table, key }: RowName): string {
  if (table === '') return `an entry under the key ${JSON.stringify(key)} is not what was written`;
  if (table === HEAD.table) return `the row of the head of the ${service} is not what was written`;
  return `the row "${key}" of the table "${table}" (${service}) is not what was written`;
}
