import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Config } from '../config.js';
import { KINDS, type Kinds, rowsOfRecord } from '../connection/records/records.js';
import { SECRET } from '../connection/tokens/key-file.js';
import type { Place, Reads, Row, SERVICES } from '../keep/keep.js';
import { quadOf } from '../keep/quad-rows.js';
import { systemClock } from '../lib/clock.js';
import { flushDirectory } from '../lib/flush-directory.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import { configuredOrder } from '../registry/presentation.js';
import { TABLES } from '../registry/rows.js';
import { type ExportSummary, recordsOf, UnusableExport } from './export-file.js';
import type { ExportRecord, StatementRecord } from './export-record.js';
import { RestoredRegistry } from './restored-registry.js';

export interface ImportParts {
  readonly config: Pick<Config, 'baseUrl' | 'pods' | 'peers' | 'dataDir'>;
  /** Opens what nodes of the configuration store in. On disk it is the folder `storeFolder` of the data directory. */
  readonly openPlace: (dataDir: string) => Promise<Place>;
  readonly storeFolder: string;
  /** The folder in the data directory in which it is built; what is found there was left by an import that was broken off. */
  readonly draftFolder: string;
  /** Are the records of the connection service imported, too? */
  readonly connections: boolean;
  /** Makes the key file. */
  readonly installKey: () => Promise<void>;
}

/** Rows and quads of one service that are stored together. */
interface Portion {
  readonly service: (typeof SERVICES)[number];
  readonly rows: readonly Row[];
  readonly put: readonly Quad[];
}

/** What a node has written that was only started. On disk that may go, because what comes in its place has another epoch. */
const OF_A_START: readonly string[] = ['meta', 'state'];
const CONTENT = TABLES.filter((table) => !OF_A_START.includes(table));
const USED_DATABASE =
  'a node has been started on this database, or has stored something in it: give REGISTRY_STORE_URL an empty one';

/**
 * Imports a file that has been checked into an empty place. It is put there in one step: on disk it is built beside and renamed, in a
 * database it is one transaction of each service, of which the registry has the last one, so that nodes that find it find the
 * connections, too. What is broken off before the last step has changed nothing that a node would show.
 * @throws UnusableExport when something is there, which stays as it is; KeepUnusable, KeepUnavailable
 */
export async function importExport(file: string, summary: ExportSummary, parts: ImportParts): Promise<void> {
  const { openPlace, storeFolder, draftFolder, installKey } = parts;
  const { dataDir } = parts.config;
  const [store, draft] = [join(dataDir, storeFolder), join(dataDir, draftFolder)];
  // Held until the end: where it is on disk, no node can open it meanwhile.
  const place = await openPlace(dataDir);
  try {
    await refuseUsed(place, store);
    const portions = portionsOf(file, summary, parts);
    if (place.isShared) {
      await storeAll(place, await atOnce(portions, summary));
      // Nodes find the key there, too, if this one does not come to installing it.
      await installKey();
      return;
    }
    await rm(draft, { recursive: true, force: true });
    const built = await openPlace(draft);
    await storeAll(built, portions).finally(() => built.close());
    // A node that found what was imported without its key would make another one.
    await installKey();
    await flushDirectory(join(draft, storeFolder));
    // Where a crash comes between these, nothing has been imported, and the draft goes.
    await rm(store, { recursive: true });
    await rename(join(draft, storeFolder), store);
    await flushDirectory(dataDir);
  } finally {
    await place.close();
    await rm(draft, { recursive: true, force: true });
  }
}

/** @throws UnusableExport for a place that a node has stored something in */
async function refuseUsed(place: Place, store: string): Promise<void> {
  const isUnused =
    (await isEmpty(await place.keep('registry'), place.isShared ? TABLES : CONTENT)) &&
    (await isEmpty(await place.keep('connection'), KINDS));
  if (isUnused) return;
  const way = `${store} holds what a node has stored: move it away, or set another dataDir`;
  throw new UnusableExport(place.isShared ? USED_DATABASE : way);
}

async function isEmpty(keep: Reads, tables: readonly string[]): Promise<boolean> {
  for await (const { rows } of keep.rows(tables)) if (rows.length > 0) return false;
  return true;
}

/** @throws UnusableExport when a node has been started on the database meanwhile */
async function storeAll(place: Place, portions: AsyncIterable<Portion> | Iterable<Portion>): Promise<void> {
  for await (const { service, rows, put } of portions) {
    const keep = await place.keep(service);
    await keep.exclusively(async (now) => {
      if (place.isShared && !(await isEmpty(now, service === 'registry' ? TABLES : KINDS)))
        throw new UnusableExport(USED_DATABASE);
      return { rows, quads: { put }, result: undefined };
    });
  }
}

/** All of one service in one portion, the registry's last, and with the key where other nodes find it. */
async function atOnce(portions: AsyncIterable<Portion>, { key }: ExportSummary): Promise<Portion[]> {
  const all = { connection: [] as Portion[], registry: [] as Portion[] };
  for await (const portion of portions) all[portion.service].push(portion);
  if (key !== undefined && all.connection.length > 0)
    all.connection.push({ service: 'connection', rows: [{ ...SECRET, value: key }], put: [] });
  return (['connection', 'registry'] as const).map((service) => ({
    service,
    rows: all[service].flatMap(({ rows }) => rows),
    put: all[service].flatMap(({ put }) => put),
  }));
}

/** What the file holds, as it is to be stored. What makes a registry of it comes last. */
async function* portionsOf(
  file: string,
  { header, sha256 }: ExportSummary,
  { config, connections }: ImportParts,
): AsyncGenerator<Portion> {
  const service = { service: 'connection' as const, rows: [] as Row[], put: [] as Quad[] };
  const registry = new RestoredRegistry({
    ...{ baseUrl: config.baseUrl, namespace: header.vocabulary, former: [], order: configuredOrder(config) },
    // Unlike that of any node, so that the date of the answers moves when one starts.
    servedAs: `import ${sha256}`,
  });
  let said: StatementRecord[] = [];
  for await (const record of recordsOf(file)) {
    const isStatement = record.type === 'statement';
    // What is remembered of documents comes after what they say.
    if (said.length > 0 && (!isStatement || said.length === MOST_AT_ONCE)) {
      yield { service: 'registry', ...registry.statements(said) };
      said = [];
    }
    if (isStatement) said.push(record);
    else registry.add(record);
    service.rows.push(...rowsIn(record));
    service.put.push(...quadsIn(record));
  }
  yield { service: 'registry', ...registry.statements(said) };
  if (connections) yield service;
  yield { service: 'registry', rows: registry.end(systemClock.now()), put: [] };
}

/** The rows of the connection service that are made of a record. @throws UnusableExport */
function rowsIn(record: ExportRecord): Row[] {
  // Of 0.2.0: what an accepted invite has led to is part of the invite.
  if (record.type !== 'record' || record.table === 'exchange') return [];
  const kind = KINDS.find((one) => one === record.table);
  if (!kind) throw new UnusableExport(`this release knows no records of the kind ${record.table}`);
  // Its fields are those of a node's own rows: the file is whole, by its checksum.
  return rowsOfRecord(kind, record.value.record as unknown as Kinds[typeof kind]);
}

function quadsIn(record: ExportRecord): Quad[] {
  if (record.type !== 'quads') return [];
  const graph = DataFactory.namedNode(record.graph);
  return record.quads.map((texts) => quadOf([texts.slice(0, 4), texts.slice(4, 8), texts.slice(8)], graph));
}
