import type { Quad } from '@rdfjs/types';
import type { Keep, Place, Reads, Row } from '../keep/keep.js';
import { TABLES } from '../registry/rows.js';
import { graphOfRow } from './content.js';
import { UnusableExport } from './export-file.js';

/** What a node has written that was only started. On disk that may go, because what comes in its place has another epoch. */
const OF_A_START: readonly string[] = ['meta', 'state'];
const USED_DATABASE =
  'a node has been started on this database, or has stored something in it: give REGISTRY_STORE_URL an empty one';

/**
 * @param tables of the connection service; @param store where it is, if it is on disk
 * @throws UnusableExport for a place that a node has stored something in
 */
export async function refuseUsed(place: Place, tables: readonly string[], store: string): Promise<void> {
  const registry = await place.keep('registry');
  if (place.isShared) {
    // What the connection service has stored is compared when everything is written.
    if (await hasRows(registry, TABLES)) throw new UnusableExport(USED_DATABASE);
    return;
  }
  const content = TABLES.filter((table) => !OF_A_START.includes(table));
  if (!(await hasRows(registry, content)) && !(await hasRows(await place.keep('connection'), tables))) return;
  throw new UnusableExport(`${store} holds what a node has stored: move it away, or set another dataDir`);
}

/**
 * Copies all that one service has stored to a place where it has nothing, in one commit; also the quads of cached resources. Nothing is
 * done where exactly that is there, because an import was broken off behind it.
 * @param more rows beside those that are copied
 * @throws UnusableExport when something else is there
 */
export async function copyService(
  from: Keep,
  to: Keep,
  tables: readonly string[],
  more: readonly Row[] = [],
): Promise<void> {
  const rows = [...(await rowsIn(from, tables)), ...more];
  const put = await resourceQuads(from, rows);
  await to.exclusively(async (now) => {
    const there = await rowsIn(now, tables);
    if (there.length === 0) return { rows, quads: { put }, result: undefined };
    if (!sameRows(there, rows)) throw new UnusableExport(USED_DATABASE);
    return { result: undefined };
  });
}

async function hasRows(keep: Reads, tables: readonly string[]): Promise<boolean> {
  for await (const { rows } of keep.rows(tables)) if (rows.length > 0) return true;
  return false;
}

async function rowsIn(keep: Reads, tables: readonly string[]): Promise<Row[]> {
  const all: Row[] = [];
  for await (const { rows } of keep.rows(tables)) all.push(...rows);
  return all;
}

async function resourceQuads(keep: Reads, rows: readonly Row[]): Promise<Quad[]> {
  const resources = rows.filter(({ table }) => table === 'resource');
  const graphs = resources.map(({ value = '' }) => graphOfRow(JSON.parse(value)));
  const all: Quad[] = [];
  for await (const quads of keep.quads(graphs)) all.push(...quads);
  return all;
}

function sameRows(some: readonly Row[], others: readonly Row[]): boolean {
  const texts = (rows: readonly Row[]) => rows.map(({ table, key, value }) => `${table} ${key} ${value}`);
  const [one, other] = [texts(some), texts(others)];
  return one.length === other.length && one.every((text, i) => text === other[i]);
}
