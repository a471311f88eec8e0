import type { Quad } from '@rdfjs/types';
import type { Place, Reads, Row } from '../keep/keep.js';
import { TABLES } from '../registry/rows.js';
import { graphsOf } from './connection-records.js';
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
  const isUsed = async (service: 'registry' | 'connection', some: readonly string[]) =>
    (await rowsIn(await place.keep(service), some)).length > 0;
  if (place.isShared) {
    // What the connection service has stored is compared when everything is written.
    if (await isUsed('registry', TABLES)) throw new UnusableExport(USED_DATABASE);
    return;
  }
  const content = TABLES.filter((table) => !OF_A_START.includes(table));
  if ((await isUsed('registry', content)) || (await isUsed('connection', tables)))
    throw new UnusableExport(`${store} holds what a node has stored: move it away, or set another dataDir`);
}

/**
 * Copies all that one service has stored to a place where it has nothing, in one commit; also the quads of cached resources. Nothing is
 * done where exactly that is there, because an import was broken off behind it.
 * @param more rows beside those that are copied
 * @throws UnusableExport when something else is there
 */
export async function copyService(
  service: 'registry' | 'connection',
  from: Place,
  to: Place,
  tables: readonly string[],
  more: readonly Row[] = [],
): Promise<void> {
  const source = await from.keep(service);
  const rows = [...(await rowsIn(source, tables)), ...more];
  const put: Quad[] = [];
  for await (const quads of source.quads(graphsOf(rows))) put.push(...quads);
  await (await to.keep(service)).exclusively(async (now) => {
    const there = await rowsIn(now, tables);
    if (there.length === 0) return { rows, quads: { put }, result: undefined };
    if (!sameRows(there, rows)) throw new UnusableExport(USED_DATABASE);
    return { result: undefined };
  });
}

async function rowsIn(keep: Reads, tables: readonly string[]): Promise<Row[]> {
  const all: Row[] = [];
  for await (const { rows } of keep.rows(tables)) all.push(...rows);
  return all;
}

function sameRows(some: readonly Row[], others: readonly Row[]): boolean {
  const isSame = (one: Row, other?: Row) =>
    one.table === other?.table && one.key === other.key && one.value === other.value;
  return some.length === others.length && some.every((one, i) => isSame(one, others[i]));
}
