import { isUtf8 } from 'node:buffer';
import { explain } from '../../lib/faults.js';
import { KeepUnusable } from '../faults.js';
import { SERVICES } from '../keep.js';
import type { Salvage } from '../salvage.js';
import { type Level, readFault } from './level-files.js';
import { quadUnder } from './quads.js';
import { HEAD, type RowName, readRowKey, SCHEMA, SCHEMA_KEY, unsealed } from './row-keys.js';

type Entry = readonly [key: Buffer, value: Buffer];

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
/** Entries that are read at a time. */
const PORTION = 500;
const ROW = Buffer.from('row/');

/** What was found in a database, beside what is as it was written. */
export interface Found extends Omit<Salvage, 'isIncomplete'> {
  readonly graphs: Set<string>;
  readonly rows: RowName[];
  quads: number;
  /** Is there anything that is no quad? */
  hasRows: boolean;
  /** Why not everything can be read. */
  fault?: string;
}

/**
 * Copies what can be read of a database and is right into an empty one: in the old one, LevelDB would not find the neighbours of a
 * damaged key, and would go on with the numbers of damaged commits. Reads in both directions, because LevelDB goes by other parts of
 * its tables when it looks single keys up. @throws KeepUnusable for the layout of another version
 */
export async function salvaged(level: Level, target: Level): Promise<Found> {
  const found: Found = { rows: [], quads: 0, graphs: new Set(), hasRows: false };
  let [count, isInOrder] = [0, true];
  let last: Buffer = Buffer.alloc(0);
  try {
    for await (const entries of readableIn(level)) {
      const batch = target.batch();
      for (const [key, value] of entries) {
        isInOrder &&= Buffer.compare(last, key) < 0;
        last = key;
        if (await isRight(key, value, found)) batch.put(key as never, value as never, BYTES as never);
      }
      count += entries.length;
      await batch.write();
    }
    for await (const entries of entriesOf(level, { reverse: true })) count -= entries.length;
    if (count !== 0 || !isInOrder)
      found.fault = 'LevelDB finds other entries forwards than backwards, or not in their order';
  } catch (error) {
    if (readFault(level, error) === error) throw error;
    found.fault = `LevelDB cannot read all of it (${explain(error)})`;
  }
  if (last.length > 0 && !found.hasRows) throw otherLayout();
  return found;
}

/** All that LevelDB can read: it passes over the rest, and fails when it has come to the end. */
async function* readableIn(level: Level): AsyncGenerator<readonly Entry[]> {
  let last: Buffer | undefined;
  let failure: unknown;
  // What was read together with the failure is lost with it, so it is read once more, one by one.
  for (const size of [PORTION, 1])
    try {
      for await (const entries of entriesOf(level, last ? { gt: last } : {}, size)) {
        yield entries;
        last = entries.at(-1)?.[0];
      }
      break;
    } catch (error) {
      failure = error;
      if (readFault(level, error) === error) break;
    }
  if (failure !== undefined) throw failure;
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

/** Is it what was written? Otherwise it is noted. */
async function isRight(key: Buffer, value: Buffer, found: Found): Promise<boolean> {
  const [name, text] = [key.toString(), value.toString()];
  const isRow = key.subarray(0, ROW.length).equals(ROW);
  found.hasRows ||= isRow || name === SCHEMA_KEY;
  if (name === SCHEMA_KEY) {
    if (text !== SCHEMA && /^\d+$/.test(text)) throw otherLayout();
    return text === SCHEMA;
  }
  if (isRow) {
    const row = readRowKey(name);
    const isKnown = row !== undefined && (SERVICES as readonly string[]).includes(row.service);
    if (isKnown && isUtf8(key) && unsealed(row.table, row.key, text)) return true;
    found.rows.push(isKnown ? row : { service: '', table: '', key: name });
    return false;
  }
  const quad = isUtf8(key) ? await quadUnder(name) : undefined;
  if (quad) found.graphs.add(quad.graph.value);
  else found.quads += 1;
  return quad !== undefined;
}

function otherLayout(): KeepUnusable {
  return new KeepUnusable(
    'The data has the layout of another version of the software: repair it with that version, or export it there',
  );
}

/** For messages. */
export function describedRow({ service, table, key }: RowName): string {
  if (table === '') return `an entry under the key ${JSON.stringify(key)} is not what was written`;
  if (table === HEAD.table) return `the row of the head of the ${service} is not what was written`;
  return `the row "${key}" of the table "${table}" (${service}) is not what was written`;
}
