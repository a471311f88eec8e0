import { isUtf8 } from 'node:buffer';
import { ClassicLevel } from 'classic-level';
import { explain } from '../../lib/faults.js';
import { KeepDamaged, KeepUnusable } from '../faults.js';
import { type Head, SERVICES } from '../keep.js';
import type { Findings, Salvage } from '../salvage.js';
import { sealedRow } from '../stored-row.js';
import { missingCommits } from './acknowledged.js';
import { openLevel, readFault } from './level-files.js';
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

/** What is found in a database, beside what is as it was written. */
const nothing = () => ({
  rows: [] as RowName[],
  graphs: new Set<string>(),
  heads: new Map<string, Head>(),
  quads: 0,
  /** Is there anything that is no quad? */
  hasRows: false,
  hasSchema: false,
});
type Found = ReturnType<typeof nothing>;

const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;
/** Entries that are read at a time. */
const PORTION = 500;

/**
 * Writes what was written before, and nothing else, to a new directory: in the old one, LevelDB would not find the neighbours of a
 * damaged key, and would go on with the numbers of damaged commits.
 */
export async function salvageLevel(
  from: string,
  to: string,
  unique: () => string,
): Promise<Salvage & Pick<Findings, 'damaged'>> {
  const damaged = await repairedByLevel(from);
  const found = nothing();
  const target = await openLevel(to);
  try {
    const { fault, count } = await throughEntries(from, async (entries) => {
      const batch = target.batch();
      for (const [key, value] of entries)
        if (await isRight(key, value, found)) batch.put(key as never, value as never, BYTES as never);
      await batch.write();
    });
    const { heads, hasRows, hasSchema, rows, quads, graphs } = found;
    if (!hasRows && quads + graphs.size > 0) throw otherLayout();
    // In the other direction LevelDB goes by other parts of its tables: a block whose end is damaged has fewer entries in one of them,
    // and no error in either.
    const backwards = fault ? undefined : await throughEntries(from, async () => undefined, true);
    if (fault) damaged.push(`after LevelDB's own repair, too: ${saidOf(fault)}`);
    else if (backwards?.fault || backwards?.count !== count)
      damaged.push('LevelDB finds other entries forwards than backwards');
    for (const [service, { version }] of heads) {
      const missing = await missingCommits(from, service, version);
      if (missing) damaged.push(missing);
    }
    // What has lost its name may have belonged to anybody.
    const isIncomplete = damaged.length > 0 || rows.some(({ service }) => service === '');
    if (hasRows && !hasSchema) damaged.push('the note of the layout is not what was written');
    damaged.push(...rows.map(describedRow));
    if (quads > 0) damaged.push(`${quads} quads cannot be read`);
    const batch = target.batch().put(SCHEMA_KEY, SCHEMA);
    for (const [service, { version }] of damaged.length > 0 ? heads : []) {
      const value = JSON.stringify({ epoch: unique(), version: version + 1, mark: unique() } satisfies Head);
      batch.put(rowKey({ service, ...HEAD }), sealed(sealedRow(HEAD.table, HEAD.key, value)));
    }
    await batch.write({ sync: true } as object);
    return { damaged, isIncomplete, rows, quads, graphs };
  } finally {
    await target.close();
  }
}

/** Has LevelDB repair a directory that it cannot read to the end. @returns why it cannot */
async function repairedByLevel(directory: string): Promise<string[]> {
  const { fault } = await throughEntries(directory, async () => undefined).catch((error: unknown) => {
    // It cannot even be opened.
    if (error instanceof KeepDamaged) return { fault: error };
    throw error;
  });
  if (!fault) return [];
  try {
    await ClassicLevel.repair(directory);
    await (await openLevel(directory)).close();
  } catch (cause) {
    throw new KeepUnusable(`Nothing can be saved of ${directory}: restore a backup`, { cause });
  }
  return [saidOf(fault)];
}

/**
 * Goes through what can be read.
 * @returns how many entries that are, and why that is not everything
 * @throws KeepDamaged when it cannot be opened; what `take` throws
 */
async function throughEntries(
  directory: string,
  take: (entries: [key: Buffer, value: Buffer][]) => Promise<void>,
  reverse = false,
): Promise<{ readonly count: number; readonly fault: KeepDamaged | undefined }> {
  const level = await openLevel(directory);
  let last: Buffer | undefined;
  let count = 0;
  const through = async (size: number) => {
    const range = { ...BYTES, ...(last && { [reverse ? 'lt' : 'gt']: last }), reverse, fillCache: false };
    const iterator = level.iterator<Buffer, Buffer>(range as object);
    try {
      for (let some = await iterator.nextv(size); some.length > 0; some = await iterator.nextv(size)) {
        last = some.at(-1)?.[0];
        count += some.length;
        await take(some);
      }
      return undefined;
    } catch (error) {
      const fault = readFault(level, error);
      if (fault instanceof KeepDamaged) return fault;
      throw error;
    } finally {
      await iterator.close();
    }
  };
  try {
    const fault = await through(PORTION);
    // LevelDB passes over what it cannot read, and fails when it has come to the end. What was read together
    // with the failure is lost with it, so it is read once more, one by one.
    return { fault: fault && ((await through(1)) ?? fault), count };
  } finally {
    await level.close();
  }
}

/** For messages, without a way out: the repair is that. */
function saidOf({ what, cause }: KeepDamaged): string {
  return cause === undefined ? what : `${what} (${explain(cause)})`;
}

/** Is it what was written? Otherwise that is noted. @throws KeepUnusable for the layout of another version */
async function isRight(key: Buffer, value: Buffer, found: Found): Promise<boolean> {
  const [name, isText] = [key.toString(), isUtf8(key)];
  found.hasRows ||= name === SCHEMA_KEY || isRowKey(name);
  if (name === SCHEMA_KEY) {
    found.hasSchema = value.toString() === SCHEMA;
    if (!found.hasSchema && /^\d+$/.test(value.toString())) throw otherLayout();
    return found.hasSchema;
  }
  if (!isRowKey(name)) {
    const quad = isText ? await quadUnder(name) : undefined;
    if (quad) found.graphs.add(quad.graph.value);
    else found.quads += 1;
    return quad !== undefined;
  }
  const named = readRowKey(name);
  const isKnown = named !== undefined && (SERVICES as readonly string[]).includes(named.service);
  const row = isKnown && isText ? unsealed(named.table, named.key, value) : undefined;
  if (!row) found.rows.push(isKnown ? named : { service: '', table: '', key: name });
  else if (isKnown && row.table === HEAD.table) found.heads.set(named.service, JSON.parse(row.value));
  return row !== undefined;
}

function otherLayout(): KeepUnusable {
  return new KeepUnusable(
    'The data has the layout of another version of the software: repair it with that version, or export it there',
  );
}

/** For messages. */
function describedRow({ service, table, key }: RowName): string {
  const named = service === '' ? `an entry under the key ${JSON.stringify(key)}` : `the row "${key}"`;
  return `${named}${table && ` of the table "${table}" (${service})`} is not what was written`;
}
