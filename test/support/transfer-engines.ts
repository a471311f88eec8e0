import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.js';
import { openDiskRecords } from '../../src/store/disk/record-store.js';
import { openPostgresRecords } from '../../src/store/postgres/records/postgres-record-store.js';
import { diskEngine, memoryEngine } from './engines.js';
import { createMemoryRecords } from './memory-records.js';
import { openTestStore } from './postgres-engine.js';
import { hasPostgres } from './postgres-programs.js';
import { registryOptions, TestRegistry } from './registry.js';
import { newDatabase } from './shared-postgres.js';
import { tempDir } from './temp-dir.js';
import type { TransferEngine } from './transfer.js';

/** The engines between which data is moved: each from and to each. */
export const TRANSFER_ENGINES: Readonly<Record<string, () => Promise<TransferEngine>>> = {
  memory: async () => ({ registry: await memoryEngine(), records: createMemoryRecords().open }),
  disk: async () => {
    const directory = await tempDir();
    return {
      registry: await diskEngine('disk')(),
      records: (name, options) => openDiskRecords(join(directory, name), options),
    };
  },
  ...(hasPostgres() ? { postgres: inDatabase } : {}),
};

async function inDatabase(): Promise<TransferEngine> {
  const url = await newDatabase();
  const given = { url, connections: 3, statementMs: 30_000, clock: systemClock, random: Math.random };
  return {
    registry: {
      holdsJson: false,
      open: async (options) => {
        const store = await openTestStore(url, { connections: 3 });
        return new TestRegistry(await store.load(registryOptions(options)));
      },
      // It goes with its server, after all tests.
      remove: async () => undefined,
    },
    records: (_dataDir, options) => openPostgresRecords({ ...given, log: options.log }, options),
  };
}
