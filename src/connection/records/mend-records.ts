import { DataFactory } from 'n3';
import type { Keep, Row } from '../../keep/keep.js';
import type { Salvage } from '../../keep/salvage.js';
import { RESOURCE_GRAPH } from './cached-resource.js';
import { INDEX, KINDS, Records, rowsOfRecord } from './records.js';

const CACHE = 'resource';

/**
 * Makes the records of the service consistent again after a repair: good records stay and can be found. Cached documents
 * go, since any of their triples may be missing, and they can be read again.
 * @returns what is lost, in sentences for the operator
 */
export async function mendRecords(salvage: Salvage, keep: Keep): Promise<string[]> {
  const { rows, quads, graphs, isIncomplete } = salvage;
  const gone = rows.filter(({ service }) => service === 'connection');
  if (gone.length === 0 && quads === 0 && !isIncomplete) return [];
  const records = new Records(keep);
  const named = [...graphs].filter((name) => name.startsWith(RESOURCE_GRAPH));
  const cached = named.map((name) => DataFactory.namedNode(name));
  for await (const remove of keep.quads(cached))
    await keep.exclusively(async () => ({ quads: { remove }, result: undefined }));
  const wasCached = await keep.exclusively(async (now) => {
    const again: Row[] = [];
    for await (const batch of now.rows([INDEX, CACHE]))
      again.push(...batch.rows.map(({ table, key }) => ({ table, key, value: undefined })));
    const result = again.some(({ table }) => table === CACHE);
    for (const kind of KINDS.filter((one) => one !== CACHE))
      for (const record of await records.list(kind)) again.push(...rowsOfRecord(kind, record));
    return { rows: again, result };
  });
  const lost = gone.filter(({ table }) => table !== CACHE && KINDS.some((kind) => kind === table));
  return [
    ...lost.map(({ table, key }) => `the ${table} ${key}`),
    ...(isIncomplete ? ['perhaps the latest connections and invites, and changes to them'] : []),
    ...(wasCached || gone.some(({ table }) => table === CACHE) || cached.length > 0
      ? ['cached documents of connections; they are read again when the connections are refreshed']
      : []),
  ];
}
