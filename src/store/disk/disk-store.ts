import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { OpenRegistry } from '../../registry/registry.js';
import type { LoadOptions, RegistryStore } from '../registry-store.js';
import { ChangeWriter, type Published } from './changes/change-writer.js';
import { type Level, openLevel } from './database/level.js';
import { QuadStore } from './database/quad-store.js';
import type { StorageLog } from './database/recovery.js';
import { positionKey } from './database/tables.js';
import { DiskCatalog } from './disk-catalog.js';
import { DiskPins } from './disk-pins.js';
import { DiskRegistry } from './disk-registry.js';
import { SharedTexts } from './listing/shared-texts.js';
import { loadRegistry, refuseOtherSchema } from './loading/load.js';

export interface DiskStoreOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log?: StorageLog;
}

/**
 * Opens the registry's database in a directory, and makes it if need be. No other process can open it until
 * it is closed. @throws UnusableData when it is in use, damaged, or was written by newer software
 */
export async function openDiskStore(directory: string, options: DiskStoreOptions): Promise<RegistryStore> {
  return diskStoreOn(await openLevel(directory), options);
}

/** The same on an open database. */
export async function diskStoreOn(level: Level, options: DiskStoreOptions): Promise<RegistryStore> {
  const store = await QuadStore.open(level, options);
  const close = () => store.close();
  try {
    await refuseOtherSchema(store);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    load: (loadOptions) => load(store, loadOptions),
    get trouble() {
      return store.trouble;
    },
    close,
  };
}

async function load(store: QuadStore, options: LoadOptions): Promise<OpenRegistry> {
  const versions = new SharedTexts();
  const loaded = await loadRegistry(store, options, versions);
  const { sources, index, statements, redoLog, revision, networkRevision, network, log, pins } = loaded;
  const state = { revision, networkRevision, components: index.size, feed: log.feed };
  const published: Published = { state, network };
  const stateAt = (position: number) => store.row<string>('state', positionKey(position));
  const catalog = new DiskCatalog({ sources, index, log, stateAt, published, pace: options.pace });
  const writer = new ChangeWriter({
    store,
    options,
    sources,
    index,
    catalog,
    published,
    redoLog,
    log,
    versions,
    statements,
    pins,
  });
  const registry = new DiskRegistry({ sources, writer, closeStore: () => store.close() });
  return { registry, catalog, pins: new DiskPins({ pins, index, sources, writer, registry }) };
}
