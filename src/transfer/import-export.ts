import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Config } from '../config.js';
import { KINDS, type Kinds, rowsOfRecord } from '../connection/records/records.js';
import { SECRET } from '../connection/tokens/key-file.js';
import { type Place, type Reads, type Row, SERVICES, type Writes } from '../keep/keep.js';
import { quadOf } from '../keep/quad-rows.js';
import { systemClock } from '../lib/clock.js';
import { flushDirectory } from '../lib/flush-directory.js';
import { withoutPause } from '../lib/pace.js';
import { openRegistry } from '../registry/open-registry.js';
import { TABLES } from '../registry/rows.js';
import { configuredOrder } from '../registry/serving.js';
import { type ExportSummary, recordsOf, UnusableExport } from './export-file.js';
import type { ExportRecord } from './export-record.js';
import { restoreRegistry } from './restore-registry.js';

export interface ImportParts {
  readonly config: Pick<Config, 'baseUrl' | 'pods' | 'peers' | 'dataDir'>;
  /** Opens what nodes of the configuration store in. On disk it is the folder `storeFolder` of the data directory. */
  readonly openPlace: (dataDir: string) => Promise<Place>;
  /** The same on disk, whatever nodes store in. */
  readonly openDraft: (dataDir: string) => Promise<Place>;
  readonly storeFolder: string;
  /** The folder in the data directory in which it is built; what is found there was left by an import that was broken off. */
  readonly draftFolder: string;
  /** Are the records of the connection service imported, too? */
  readonly connections: boolean;
  /** Makes the key file. */
  readonly installKey: () => Promise<void>;
}

/** What is there of a service when it has stored something. */
const CONTENT = { registry: TABLES, connection: [...KINDS, SECRET.table] } as const;
/** What a node has written that was only started. On disk that may go, because what comes in its place has another epoch. */
const OF_A_START: readonly string[] = ['meta', 'state'];

/**
 * Imports a file that has been checked into an empty place: it is built beside on disk, and put there in one step. That is a change
 * of names on disk, and in a database one transaction of each service, of which the registry has the last one, so that nodes that
 * find it find the connections, too. What is broken off before the last step has changed nothing that a node would show.
 * @throws UnusableExport when something is there, which stays as it is; KeepUnusable, StoreUnavailable
 */
export async function importExport(file: string, summary: ExportSummary, parts: ImportParts): Promise<void> {
  const { openPlace, openDraft, storeFolder, draftFolder, connections, installKey } = parts;
  const { dataDir } = parts.config;
  const [store, draft] = [join(dataDir, storeFolder), join(dataDir, draftFolder)];
  // Held until the end: where it is on disk, no node can open it meanwhile.
  const place = await openPlace(dataDir);
  try {
    const way = `${store} holds what a node has stored: move it away, or set another dataDir`;
    const why = place.isShared ? USED_DATABASE : way;
    for (const service of SERVICES) {
      const tables = CONTENT[service].filter((table) => place.isShared || !OF_A_START.includes(table));
      await refuseAny(await place.keep(service), tables, why);
    }
    await rm(draft, { recursive: true, force: true });
    const built = await openDraft(draft);
    try {
      const service = await build(built, file, summary, parts.config);
      // Where nodes share the data, all find the key there.
      if (place.isShared && summary.key) service.rows.push({ ...SECRET, value: summary.key });
      if (connections) await storeIn(place.isShared ? place : built, 'connection', service);
      if (place.isShared) await storeIn(place, 'registry', { rows: await registryRows(built) });
    } finally {
      await built.close();
    }
    // On disk, a node that found what was imported without its key would make another one.
    await installKey();
    if (place.isShared) return;
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

const USED_DATABASE =
  'a node has been started on this database, or something is stored in it: give REGISTRY_STORE_URL an empty one';

async function refuseAny(keep: Reads, tables: readonly string[], why: string): Promise<void> {
  for await (const { rows } of keep.rows(tables)) if (rows.length > 0) throw new UnusableExport(why);
}

/** @throws UnusableExport when a node has been started on the database meanwhile */
async function storeIn(place: Place, service: keyof typeof CONTENT, writes: Writes): Promise<void> {
  await (await place.keep(service)).exclusively(async (now) => {
    await refuseAny(now, CONTENT[service], USED_DATABASE);
    return { ...writes, result: undefined };
  });
}

async function registryRows(place: Place): Promise<Row[]> {
  const all: Row[] = [];
  for await (const { rows } of (await place.keep('registry')).rows(TABLES)) all.push(...rows);
  return all;
}

/** Makes the registry that the file holds. @returns what the connection service is to store */
async function build(
  place: Place,
  file: string,
  { header, sha256 }: ExportSummary,
  config: ImportParts['config'],
): Promise<{ rows: Row[]; quads: { put: Quad[] } }> {
  const presentation = {
    ...{ baseUrl: config.baseUrl, namespace: header.vocabulary, order: configuredOrder(config) },
    // Unlike that of any node, so that the date of the answers moves when one starts.
    servedAs: `import ${sha256}`,
  };
  const given = { clock: systemClock, pace: withoutPause, log: { warn: () => undefined } };
  const service = { rows: [] as Row[], quads: { put: [] as Quad[] } };
  async function* records() {
    for await (const record of recordsOf(file)) {
      if (record.type === 'record') service.rows.push(...rowsOf(record));
      if (record.type === 'quads') service.quads.put.push(...quadsOf(record));
      yield record;
    }
  }
  await restoreRegistry(await openRegistry(await place.keep('registry'), presentation, given), records());
  return service;
}

/** The rows of the connection service that are made of a record. @throws UnusableExport */
function rowsOf({ table, value }: Extract<ExportRecord, { type: 'record' }>): Row[] {
  // Of 0.2.0: what an accepted invite has led to is part of the invite.
  if (table === 'exchange') return [];
  const kind = KINDS.find((one) => one === table);
  if (!kind) throw new UnusableExport(`this release knows no records of the kind ${table}`);
  // Its fields are those of a node's own rows: the file is whole, by its checksum.
  return rowsOfRecord(kind, value.record as unknown as Kinds[typeof kind]);
}

function quadsOf({ graph: name, quads }: Extract<ExportRecord, { type: 'quads' }>): Quad[] {
  const graph = DataFactory.namedNode(name);
  return quads.map((texts) => quadOf([texts.slice(0, 4), texts.slice(4, 8), texts.slice(8)], graph));
}
