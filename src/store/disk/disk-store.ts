import type { Pace } from '../../lib/pace.js';
import type { OpenRegistry } from '../../registry/registry.js';
import type { LoadOptions, RegistryStore } from '../registry-store.js';
import { ChangeWriter } from './changes/change-writer.js';
import { type Level, openLevel } from './database/level.js';
import { QuadStore } from './database/quad-store.js';
import { DiskCatalog, type Published } from './disk-catalog.js';
import { DiskRegistry } from './disk-registry.js';
import { SharedTexts } from './listing/shared-texts.js';
import { loadRegistry, refuseNewerSchema } from './loading/load.js';

/**
 * Opens the registry's database in a directory, and makes it if need be. No other process can open it until
 * it is closed. @throws UnusableData when it is in use, or was written by newer software
 */
export async function openDiskStore(directory: string, pace: Pace): Promise<RegistryStore> {
  return diskStoreOn(await openLevel(directory), pace);
}

/** The same on an open database. */
export async function diskStoreOn(level: Level, pace: Pace): Promise<RegistryStore> {
  const store = await QuadStore.open(level, pace);
  const close = () => store.close();
  try {
    await refuseNewerSchema(store);
  } catch (error) {
    await close();
    throw error;
  }
  return { load: (options) => load(store, options), close };
}

async function load(store: QuadStore, options: LoadOptions): Promise<OpenRegistry> {
  const versions = new SharedTexts();
  const { sources, index, statements, redoLog, revision, networkRevision, network } = await loadRegistry(
    store,
    options,
    versions,
  );
  const published: Published = { state: { revision, networkRevision, components: index.size }, network };
  const catalog = new DiskCatalog(index, published, options.pace);
  const writer = new ChangeWriter({
    ...{ store, options, sources, index, catalog, published },
    ...{ redoLog, versions, statements },
  });
  return { registry: new DiskRegistry({ sources, writer, closeStore: () => store.close() }), catalog };
}
