import { DIGEST_DIGITS } from '../../core/cursor.js';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { OpenRegistry } from '../../registry/registry.js';
import type { LoadOptions, RegistryStore } from '../registry-store.js';
import { ChangeWriter, type Published } from './changes/change-writer.js';
import { QuadCheck } from './checking/quad-check.js';
import { type Level, openLevel } from './database/level.js';
import { QuadStore } from './database/quad-store.js';
import type { StorageLog } from './database/recovery.js';
import { positionKey } from './database/tables.js';
import { DiskCatalog } from './disk-catalog.js';
import { DiskPins } from './disk-pins.js';
import { DiskRegistry } from './disk-registry.js';
import { IN_MEMORY } from './listing/block-space.js';
import { SharedTexts } from './listing/shared-texts.js';
import { type Loaded, loadRegistry, refuseOtherSchema } from './loading/load.js';
import { CatalogSnapshots } from './snapshot/catalog-snapshots.js';
import { snapshotWrittenAs } from './snapshot/snapshot-head.js';
import { FEW } from './snapshot/snapshot-worth.js';

export interface DiskStoreOptions {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log?: StorageLog;
  /** When what is stored is checked after a start, in ms; a minute when absent. */
  readonly checkAfter?: number;
  /** Statements from which on there are snapshots of the catalog; 1,000 when absent. */
  readonly snapshotsFrom?: number;
}

const CHECK_AFTER = 60_000;

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
  let end: (() => Promise<void>) | undefined;
  const close = async () => {
    const ending = end;
    end = undefined;
    await ending?.();
    await store.close();
  };
  try {
    await refuseOtherSchema(store);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async load(loadOptions) {
      const loaded = await load(store, loadOptions, { ...options, close });
      end = loaded.end;
      return loaded.open;
    },
    get trouble() {
      return store.trouble;
    },
    close,
  };
}

interface LoadParts extends Pick<DiskStoreOptions, 'snapshotsFrom' | 'checkAfter'> {
  readonly close: () => Promise<void>;
}

/** `end` is to be called before the store is closed. */
async function load(
  store: QuadStore,
  options: LoadOptions,
  { snapshotsFrom, checkAfter = CHECK_AFTER, close }: LoadParts,
): Promise<{ readonly open: OpenRegistry; readonly end: () => Promise<void> }> {
  const versions = new SharedTexts();
  const loaded = await loadRegistry(store, options, { versions, space: IN_MEMORY });
  const { sources, index, redoLog, revision, networkRevision, network, log, pins } = loaded;
  const state = { revision, networkRevision, components: index.size, feed: log.feed };
  const published: Published = { state, network };
  const stateAt = (position: number) => store.row<string>('state', positionKey(position));
  const catalog = new DiskCatalog({ sources, index, log, stateAt, published, pace: options.pace });
  const snapshots = snapshotsOf(store, options, loaded, snapshotsFrom);
  catalog.watch(() => snapshots.changed());
  const writer = new ChangeWriter({ ...loaded, store, options, catalog, versions });
  const registry = new DiskRegistry({
    sources,
    writer,
    beforeClose: () => check.stop(),
    closeStore: close,
  });
  const check = new QuadCheck({ store, options, sources, log, writer, redoLog, registry });
  check.start(checkAfter);
  return {
    open: { registry, catalog, pins: new DiskPins({ pins, index, sources, writer, registry }) },
    async end() {
      await check.stop();
      await snapshots.end();
    },
  };
}

function snapshotsOf(
  { directory }: QuadStore,
  options: LoadOptions,
  { index, log, revision: { epoch }, snapshot }: Loaded,
  least = FEW,
): CatalogSnapshots {
  return new CatalogSnapshots({
    ...options,
    directory,
    least,
    writtenAs: snapshotWrittenAs(options, IN_MEMORY),
    last: snapshot,
    now: () => ({ position: log.feed.position, statements: log.entries.size }),
    copy: () => {
      const { position, digest } = log.feed;
      return { epoch, position, digest: digest.slice(0, DIGEST_DIGITS), ...index.contents };
    },
  });
}
