import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { KINDS, RECORD_TABLES } from '../connection/records/records.js';
import { SECRET } from '../connection/tokens/shared-key.js';
import type { Keep, Place, Row } from '../keep/keep.js';
import { systemClock } from '../lib/clock.js';
import { flushDirectory, flushFiles } from '../lib/flush-directory.js';
import type { LogTo } from '../lib/log.js';
import { withoutPause } from '../lib/pace.js';
import { openKeptRegistry } from '../registry/open-kept-registry.js';
import { configuredOrder } from '../registry/open-registry.js';
import type { OpenRegistry } from '../registry/registry.js';
import { TABLES } from '../registry/rows.js';
import { type Content, contentOf } from './content.js';
import { ContentDigest, differences } from './content-digest.js';
import { copyService, refuseUsed } from './copy-service.js';
import { BEFORE, DRAFT } from './draft.js';
import { type ExportSummary, recordsOf } from './export-file.js';
import type { DigestLine, ExportRecord } from './export-record.js';
import { ImportClock } from './import-clock.js';
import { asStored, ConnectionsImport } from './import-connections.js';
import { importRegistry } from './import-registry.js';

export interface ImportParts {
  readonly config: Pick<Config, 'baseUrl' | 'pods' | 'peers' | 'dataDir'>;
  /** Opens what nodes of the configuration store in. */
  readonly openPlace: (dataDir: string) => Promise<Place>;
  /** Opens a place on disk, which is the folder `storeFolder` of a data directory. Its commits need not be flushed. */
  readonly openOnDisk: (dataDir: string) => Promise<Place>;
  readonly storeFolder: string;
  /** Are the records of the connection service imported, too? */
  readonly connections: boolean;
  /** Makes the key file; what it returns takes that back. */
  readonly installKey: () => Promise<() => Promise<void>>;
  readonly log: LogTo<'warn'>;
}

/**
 * Imports a file that has been checked into an empty place. Everything is built beside it, read again from there and compared with
 * what the file holds; then it is put in its place in one step: by renaming a folder, or in one transaction of each service, of
 * which the registry has the last one. What is broken off before has changed nothing.
 * @returns the digests of what is stored
 * @throws UnusableExport when something is there, which stays as it is; KeepUnusable, KeepUnavailable
 */
export async function importExport(
  file: string,
  summary: ExportSummary,
  parts: ImportParts,
): Promise<readonly DigestLine[]> {
  const { config, openPlace, openOnDisk, storeFolder, installKey } = parts;
  // Held until the end: where it is on disk, no node can open it meanwhile.
  const place = await openPlace(config.dataDir);
  const draft = join(config.dataDir, DRAFT);
  try {
    await refuseUsed(place, KINDS, join(config.dataDir, storeFolder));
    await rm(draft, { recursive: true, force: true });
    const digests = await build(file, summary, { ...parts, open: () => openOnDisk(draft) });
    if (place.isShared) {
      // Nodes find the key there, too, if this one does not come to installing it.
      await copyAll(await openOnDisk(draft), place, summary, parts);
      await installKey();
      return digests;
    }
    // A node that found what was imported without its key would make another one.
    const removeKey = await installKey();
    try {
      await swap(join(draft, storeFolder), join(config.dataDir, storeFolder));
    } catch (error) {
      await removeKey();
      throw error;
    }
    return digests;
  } finally {
    await place.close();
    await rm(draft, { recursive: true, force: true });
  }
}

interface DraftParts extends ImportParts {
  readonly open: () => Promise<Place>;
}

/** Stores what the file holds, reads all of that again, and compares. */
async function build(file: string, summary: ExportSummary, parts: DraftParts): Promise<DigestLine[]> {
  const wanted = new ContentDigest();
  await withContent(summary, parts, async (content, clock) => {
    const connections = content.connections && new ConnectionsImport(content.connections);
    await importRegistry(ofRegistry(recordsOf(file), wanted, connections), content, clock);
    await connections?.end();
  });
  const found = new ContentDigest();
  await withContent(summary, parts, async (content) => {
    for await (const record of contentOf(content)) found.add(record);
  });
  const different = differences(found.lines(), wanted.lines());
  if (different.length === 0) return found.lines();
  throw new Error(`what was stored is not what ${file} holds: ${different.join(', ')}; nothing is imported`);
}

/** The records of the registry; those of the connection service are stored on the way. */
async function* ofRegistry(
  records: AsyncIterable<ExportRecord>,
  digest: ContentDigest,
  connections: ConnectionsImport | undefined,
): AsyncGenerator<ExportRecord> {
  for await (const written of records) {
    const record = asStored(written);
    const isOfConnections = record.type === 'record' || record.type === 'quads';
    if (isOfConnections && !connections) continue;
    digest.add(record);
    if (isOfConnections) await connections?.store(record);
    else yield record;
  }
}

interface DraftContent extends OpenRegistry, Pick<Content, 'connections'> {
  readonly connections?: Keep | undefined;
}

/** Opens the draft for one task, as nodes were that read the documents. */
async function withContent(
  { header, end }: ExportSummary,
  { config, connections, open, log }: DraftParts,
  task: (content: DraftContent, clock: ImportClock) => Promise<void>,
): Promise<void> {
  const place = await open();
  const clock = new ImportClock(systemClock);
  try {
    const { registry, catalog, pins } = await openKeptRegistry(await place.keep('registry'), {
      ...{ clock, pace: withoutPause, log },
      baseUrl: config.baseUrl,
      vocabulary: createVocabulary(header.vocabulary),
      order: configuredOrder(config),
      // Unlike that of any node, so that the date of the answers moves when one starts.
      servedAs: `import ${end.sha256}`,
    });
    try {
      const keep = connections ? await place.keep('connection') : undefined;
      await task({ registry, catalog, pins, connections: keep }, clock);
    } finally {
      await registry.close();
    }
  } finally {
    await place.close();
  }
}

/** The registry comes last: nodes that find it find the connections, too. */
async function copyAll(
  draft: Place,
  place: Place,
  { key }: ExportSummary,
  { connections }: ImportParts,
): Promise<void> {
  const copy = async (service: 'connection' | 'registry', tables: readonly string[], more: readonly Row[]) =>
    copyService(await draft.keep(service), await place.keep(service), tables, more);
  try {
    const secret = key === undefined ? [] : [{ ...SECRET, value: key }];
    if (connections) await copy('connection', [...RECORD_TABLES, SECRET.table], secret);
    await copy('registry', TABLES, []);
  } finally {
    await draft.close();
  }
}

/** What was in the place is empty, and goes with the draft. */
async function swap(built: string, store: string): Promise<void> {
  const before = `${built}${BEFORE}`;
  await flushFiles(built);
  await rename(store, before);
  try {
    await rename(built, store);
  } catch (error) {
    await rename(before, store);
    throw error;
  }
  await flushDirectory(join(store, '..'));
}
