import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import type { Config } from '../config.js';
import { KINDS } from '../connection/records/records.js';
import { SECRET } from '../connection/tokens/key-file.js';
import type { Place, Reads, Row, SERVICES } from '../keep/keep.js';
import { systemClock } from '../lib/clock.js';
import { flushDirectory, flushFiles } from '../lib/flush-directory.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import { configuredOrder } from '../registry/presentation.js';
import { TABLES } from '../registry/rows.js';
import { RestoredConnections } from './connection-records.js';
import { type ExportSummary, recordsOf, UnusableExport } from './export-file.js';
import type { Portion, StatementRecord } from './export-record.js';
import { RestoredRegistry } from './restored-registry.js';

export interface ImportParts {
  readonly config: Pick<Config, 'baseUrl' | 'pods' | 'peers' | 'dataDir'>;
  /** Opens what nodes of the configuration store in. */
  readonly openPlace: (dataDir: string) => Promise<Place>;
  /** Opens a place on disk, which is the folder `storeFolder` of a data directory. Its commits need not be flushed. */
  readonly openOnDisk: (dataDir: string) => Promise<Place>;
  readonly storeFolder: string;
  /** The folder in the data directory in which it is built; what is found there was left by an import that was broken off. */
  readonly draftFolder: string;
  /** Are the records of the connection service imported, too? */
  readonly connections: boolean;
  /** Makes the key file. */
  readonly installKey: () => Promise<void>;
}

type Service = (typeof SERVICES)[number];

interface ServicePortion extends Portion {
  readonly service: Service;
}

/** What a node has written that was only started. On disk that may go, because what comes in its place has another epoch. */
const OF_A_START: readonly string[] = ['meta', 'state'];
const CONTENT = TABLES.filter((table) => !OF_A_START.includes(table));

/**
 * Imports a file that has been checked into an empty place. It is put there in one step: on disk it is built beside and renamed, in a
 * database it is one transaction of each service, of which the registry has the last one, so that nodes that find it find the
 * connections, too. What is broken off before the last step has changed nothing that a node would show.
 * @throws UnusableExport when something is there, which stays as it is; KeepUnusable, KeepUnavailable
 */
export async function importExport(file: string, summary: ExportSummary, parts: ImportParts): Promise<void> {
  const { config, openPlace, storeFolder, draftFolder, installKey } = parts;
  const [store, draft] = [join(config.dataDir, storeFolder), join(config.dataDir, draftFolder)];
  // Held until the end: where it is on disk, no node can open it meanwhile.
  const place = await openPlace(config.dataDir);
  try {
    await refuseUsed(place, store);
    if (place.isShared) {
      await storeAll(place, atOnce(portionsOf(file, summary, parts), summary));
      // Nodes find the key there, too, if this one does not come to installing it.
      await installKey();
      return;
    }
    await rm(draft, { recursive: true, force: true });
    const built = await parts.openOnDisk(draft);
    try {
      await storeAll(built, portionsOf(file, summary, parts));
    } finally {
      await built.close();
    }
    // A node that found what was imported without its key would make another one.
    await installKey();
    await swap(join(draft, storeFolder), store);
    await flushDirectory(config.dataDir);
  } finally {
    await place.close();
    await rm(draft, { recursive: true, force: true });
  }
}

/** @throws UnusableExport for a place that a node has stored something in */
async function refuseUsed(place: Place, store: string): Promise<void> {
  const tables = place.isShared ? TABLES : CONTENT;
  const [registry, service] = [await place.keep('registry'), await place.keep('connection')];
  if ((await isEmpty(registry, tables)) && (await isEmpty(service, KINDS))) return;
  const way = `${store} holds what a node has stored: move it away, or set another dataDir`;
  throw new UnusableExport(place.isShared ? USED_DATABASE : way);
}

const USED_DATABASE =
  'a node has been started on this database, or has stored something in it: give REGISTRY_STORE_URL an empty one';

async function isEmpty(keep: Reads, tables: readonly string[]): Promise<boolean> {
  for await (const { rows } of keep.rows(tables)) if (rows.length > 0) return false;
  return true;
}

/** @throws UnusableExport when a node has been started on the database meanwhile */
async function storeAll(place: Place, portions: AsyncIterable<ServicePortion>): Promise<void> {
  for await (const { service, rows, put } of portions) {
    const keep = await place.keep(service);
    await keep.exclusively(async (now) => {
      if (place.isShared && !(await isEmpty(now, service === 'registry' ? TABLES : KINDS)))
        throw new UnusableExport(USED_DATABASE);
      return { rows, quads: { put }, result: undefined };
    });
  }
}

/** All of one service in one portion, the registry's last, and with the key where others find it. */
async function* atOnce(
  portions: AsyncIterable<ServicePortion>,
  { key }: ExportSummary,
): AsyncGenerator<ServicePortion> {
  const all = new Map<Service, { rows: Row[]; put: Quad[] }>();
  for await (const { service, rows, put } of portions) {
    const known = all.get(service) ?? { rows: [], put: [] };
    for (const row of rows) known.rows.push(row);
    for (const quad of put) known.put.push(quad);
    all.set(service, known);
  }
  const [connection, registry] = [all.get('connection'), all.get('registry')];
  if (key !== undefined) connection?.rows.push({ ...SECRET, value: key });
  if (connection) yield { service: 'connection', ...connection };
  if (registry) yield { service: 'registry', ...registry };
}

/** What the file holds, as it is to be stored. */
async function* portionsOf(
  file: string,
  { header, sha256 }: ExportSummary,
  { config, connections }: ImportParts,
): AsyncGenerator<ServicePortion> {
  const registry = new RestoredRegistry({
    ...{ baseUrl: config.baseUrl, namespace: header.vocabulary, former: [], order: configuredOrder(config) },
    // Unlike that of any node, so that the date of the answers moves when one starts.
    servedAs: `import ${sha256}`,
  });
  const service = new RestoredConnections();
  let waiting: StatementRecord[] = [];
  for await (const record of recordsOf(file)) {
    const isStatement = record.type === 'statement';
    if (waiting.length > 0 && (!isStatement || waiting.length === MOST_AT_ONCE)) {
      yield { service: 'registry', ...registry.statements(waiting) };
      waiting = [];
    }
    if (isStatement) waiting.push(record);
    else {
      registry.add(record);
      service.add(record);
    }
  }
  if (waiting.length > 0) yield { service: 'registry', ...registry.statements(waiting) };
  if (connections) yield { service: 'connection', ...service.end() };
  yield { service: 'registry', rows: registry.end(systemClock.now()), put: [] };
}

/** What was in the place is empty. Where a crash comes between, nothing has been imported, and the draft goes. */
async function swap(built: string, store: string): Promise<void> {
  await flushFiles(built);
  await rm(store, { recursive: true });
  await rename(built, store);
}
