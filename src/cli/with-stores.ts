import type { Config } from '../config.js';
import { RECORD_LAYOUT } from '../connection/records/records.js';
import { systemClock } from '../lib/clock.js';
import { createLog } from '../lib/log.js';
import { withoutPause } from '../lib/pace.js';
import { Unwinding } from '../lib/unwinding.js';
import { production } from '../node/given.js';
import type { RecordStore } from '../store/record-store.js';
import type { LoadOptions, RegistryStore } from '../store/registry-store.js';

/** What a node of a configuration stores in, opened without running it. */
export interface OpenStores {
  readonly store: RegistryStore;
  /** Of the connection service; absent where it is not asked for. */
  readonly records: RecordStore | undefined;
  /** What else the store is loaded with. */
  readonly given: Pick<LoadOptions, 'random' | 'pace' | 'log'>;
}

/**
 * Opens what a node stores in for as long as a task lasts. `alone`: no node may use it meanwhile, not even a database that
 * nodes share. @throws UnusableData when a node uses it
 */
export async function withStores<T>(
  config: Config,
  { connections, alone = false }: { readonly connections: boolean; readonly alone?: boolean },
  task: (stores: OpenStores) => Promise<T>,
): Promise<T> {
  const { openStore, openRecords, random } = production(config, { alone });
  const log = createLog({ level: 'warn' });
  const options = { clock: systemClock, pace: withoutPause, log };
  const unwinding = new Unwinding();
  try {
    const store = await openStore(config.dataDir, options);
    await unwinding.defer('the store', () => store.close());
    const records = connections
      ? await openRecords(config.dataDir, { ...options, layout: RECORD_LAYOUT })
      : undefined;
    await unwinding.defer('the records', () => records?.close());
    return await task({ store, records, given: { random, pace: withoutPause, log } });
  } finally {
    await unwinding.unwind();
  }
}
