import type { Pace } from '../../../lib/pace.js';
import { DamagedData } from './damage.js';
import { type Level, locationOf } from './level.js';
import { isSealed, SCHEMA_KEY, seal, unseal } from './seal.js';

/** Its row says that every value in the database carries a checksum. */
const NOTE_KEY = '!meta!sealed';
const NOTE = 'true';
/** Values that are written in one batch. */
const BATCH = 1000;

/**
 * Gives a checksum to every value that has none, once in the life of a database: from then on a value without
 * one is damaged. A crash in between does no harm, the next start goes on. `schema` is written first, so that
 * an older release refuses what it would misread.
 * @throws DamagedData when a value does not match the checksum that it has
 */
export async function sealValues(level: Level, pace: Pace, schema?: number): Promise<void> {
  if (await isNoted(level)) return;
  await raiseSchema(level, schema);
  const breathe = pace();
  let batch: { type: 'put'; key: string; value: string }[] = [];
  const write = async () => {
    await level.batch(batch);
    batch = [];
  };
  for await (const [key, value] of level.iterator()) {
    if (!isSealed(key, value)) batch.push({ type: 'put', key, value: seal(key, value) });
    else if (unseal(key, value) === undefined) throw damaged(level, key);
    if (batch.length >= BATCH) await write();
    await breathe();
  }
  await write();
  await level.batch([{ type: 'put', key: NOTE_KEY, value: seal(NOTE_KEY, NOTE) }], durable());
}

/** Does every value in the database carry a checksum? */
export async function isNoted(level: Level): Promise<boolean> {
  const note = await level.get(NOTE_KEY);
  return note !== undefined && unseal(NOTE_KEY, note) === NOTE;
}

async function raiseSchema(level: Level, schema: number | undefined): Promise<void> {
  const found = await level.get(SCHEMA_KEY);
  if (schema === undefined || found === undefined || Number(found) >= schema) return;
  await level.batch([{ type: 'put', key: SCHEMA_KEY, value: JSON.stringify(schema) }], durable());
}

function damaged(level: Level, key: string): DamagedData {
  const name = JSON.stringify(key.replaceAll('\0', ' '));
  return new DamagedData(
    locationOf(level) ?? 'memory',
    `what is stored as ${name} does not match its checksum`,
  );
}

/** `sync` is an option of classic-level; others of the family pass it over. */
function durable(): object {
  return { sync: true };
}
