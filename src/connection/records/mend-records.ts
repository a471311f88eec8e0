import { DataFactory } from 'n3';
import type { Keep, Row } from '../../keep/keep.js';
import type { Findings, Salvage } from '../../keep/salvage.js';
import { isResourceGraph } from './cached-resource.js';
import { counterRow, INDEXES, KINDS, Records, rowsOfRecord } from './records.js';

const CACHE = 'resource';

/**
 * Makes the records of the service consistent again after a repair: good records stay and can be found, lost ones are named.
 * Cached documents are dropped as soon as one of their triples may be missing, since they can be read again.
 */
export async function mendRecords(
  { rows, quads, graphs, isIncomplete }: Salvage,
  keep: Keep,
): Promise<Findings> {
  const gone = rows.filter(({ service }) => service === 'connection');
  const lost = gone
    .filter(({ table }) => table !== CACHE && (KINDS as readonly string[]).includes(table))
    .map(({ table, key }) => `the ${table} ${key}`);
  if (isIncomplete) lost.push('perhaps the latest connections and invites, and changes to them');
  const isCacheDamaged = gone.some(({ table }) => table === CACHE);
  const mayMiss = isIncomplete || quads > 0 || isCacheDamaged;
  const isDropped = mayMiss && (await dropCache(keep, [...graphs].filter(isResourceGraph)));
  if (isDropped || isCacheDamaged)
    lost.push('cached documents of connections; they are read again when the connections are refreshed');
  if (gone.length > 0 || mayMiss) await findAgain(keep);
  return { damaged: [], rebuilt: [], lost };
}

/** @returns whether there was anything */
async function dropCache(keep: Keep, graphs: readonly string[]): Promise<boolean> {
  for (const name of graphs)
    for await (const remove of keep.quads([DataFactory.namedNode(name)]))
      await keep.exclusively(async () => ({ quads: { remove }, result: undefined }));
  return keep.exclusively(async (now) => {
    const rows = await removalOf(CACHE, now);
    return { rows, result: graphs.length + rows.length > 0 };
  });
}

/** Makes the rows by which records are found anew from the records. */
async function findAgain(keep: Keep): Promise<void> {
  const records = new Records(keep);
  await keep.exclusively(async (now) => {
    const rows: Row[] = (await Promise.all(INDEXES.map((table) => removalOf(table, now)))).flat();
    let last = 0;
    for (const kind of KINDS) {
      for (const stored of await records.list(kind)) {
        rows.push(...rowsOfRecord(kind, stored));
        last = Math.max(last, stored.seq);
      }
    }
    return { rows: [...rows, counterRow(last)], result: undefined };
  });
}

async function removalOf(table: string, now: Pick<Keep, 'rows'>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of now.rows([table]))
    rows.push(...batch.rows.map(({ key }) => ({ table, key, value: undefined })));
  return rows;
}
