import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { KINDS, RECORD_TABLES } from '../connection/records/records.js';
import { SECRET } from '../connection/tokens/key-file.js';
import type { Place } from '../keep/keep.js';
import { systemClock } from '../lib/clock.js';
import { flushDirectory, flushFiles } from '../lib/flush-directory.js';
import { configuredOrder } from '../registry/configured-registry.js';
import { TABLES } from '../registry/rows.js';
import { connectionRecords, RestoredConnections } from './connection-records.js';
import { ContentDigest } from './content-digest.js';
import { copyService, refuseUsed } from './copy-service.js';
import { type ExportSummary, recordsOf } from './export-file.js';
import { RestoredRegistry } from './restored-registry.js';
import { readRegistry } from './stored-registry.js';

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
  /** Makes the key file; what it returns takes that back. */
  readonly installKey: () => Promise<() => Promise<void>>;
}

/**
 * Imports a file that has been checked into an empty place. Everything is built beside it, read again from there and compared with
 * what the file holds; then it is put in its place in one step: by renaming a folder, or in one transaction of each service, of
 * which the registry has the last one. What is broken off before has changed nothing.
 * @returns the digest of what is stored
 * @throws UnusableExport when something is there, which stays as it is; KeepUnusable, KeepUnavailable
 */
export async function importExport(
  file: string,
  summary: ExportSummary,
  parts: ImportParts,
): Promise<ContentDigest> {
  const { config, openPlace, openOnDisk, storeFolder, draftFolder, installKey } = parts;
  const store = join(config.dataDir, storeFolder);
  const draft = join(config.dataDir, draftFolder);
  // Held until the end: where it is on disk, no node can open it meanwhile.
  const place = await openPlace(config.dataDir);
  try {
    await refuseUsed(place, KINDS, store);
    await rm(draft, { recursive: true, force: true });
    const wanted = await inPlace(openOnDisk(draft), (built) => build(file, summary, built, parts));
    const digest = await inPlace(openOnDisk(draft), (built) => digestOf(built, parts));
    const different = digest.differences(wanted);
    if (different.length > 0)
      throw new Error(
        `what was stored is not what ${file} holds: ${different.join(', ')}; nothing is imported`,
      );
    if (place.isShared) {
      // Nodes find the key there, too, if this one does not come to installing it.
      await inPlace(openOnDisk(draft), (built) => copyAll(built, place, summary, parts));
      await installKey();
      return digest;
    }
    // A node that found what was imported without its key would make another one.
    const removeKey = await installKey();
    await swap(join(draft, storeFolder), store).catch(async (error) => {
      await removeKey();
      throw error;
    });
    // What is in its place keeps its key, whatever becomes of this.
    await flushDirectory(config.dataDir);
    return digest;
  } finally {
    await place.close();
    await rm(draft, { recursive: true, force: true });
  }
}

async function inPlace<T>(opening: Promise<Place>, task: (place: Place) => Promise<T>): Promise<T> {
  const place = await opening;
  try {
    return await task(place);
  } finally {
    await place.close();
  }
}

/** @returns the digest of what the file holds */
async function build(
  file: string,
  { header, sha256 }: ExportSummary,
  place: Place,
  { config, connections }: ImportParts,
): Promise<ContentDigest> {
  const digest = new ContentDigest();
  const registry = new RestoredRegistry(await place.keep('registry'), {
    ...{ baseUrl: config.baseUrl, namespace: header.vocabulary, former: [], order: configuredOrder(config) },
    // Unlike that of any node, so that the date of the answers moves when one starts.
    servedAs: `import ${sha256}`,
  });
  const service = new RestoredConnections(await place.keep('connection'));
  for await (const record of recordsOf(file)) {
    const isOfConnections = record.type === 'record' || record.type === 'quads';
    if (isOfConnections && !connections) continue;
    digest.add(record);
    await (isOfConnections ? service : registry).store(record);
  }
  await service.end();
  await registry.end(systemClock.now());
  return digest;
}

async function digestOf(place: Place, { connections, draftFolder }: ImportParts): Promise<ContentDigest> {
  const digest = new ContentDigest();
  const stored = await readRegistry(await place.keep('registry'), draftFolder);
  for (const record of stored?.records() ?? []) digest.add(record);
  if (!connections) return digest;
  for await (const record of connectionRecords(await place.keep('connection'))) digest.add(record);
  return digest;
}

/** The registry comes last: nodes that find it find the connections, too. */
async function copyAll(
  draft: Place,
  place: Place,
  { key }: ExportSummary,
  { connections }: ImportParts,
): Promise<void> {
  const secret = key === undefined ? [] : [{ ...SECRET, value: key }];
  if (connections) await copyService('connection', draft, place, [...RECORD_TABLES, SECRET.table], secret);
  await copyService('registry', draft, place, TABLES);
}

/** What was in the place is empty. Where a crash comes between, nothing has been imported, and the draft goes. */
async function swap(built: string, store: string): Promise<void> {
  await flushFiles(built);
  await rm(store, { recursive: true });
  await rename(built, store);
}
