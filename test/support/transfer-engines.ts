import { join } from 'node:path';
import { openDiskRecords } from '../../src/store/disk/record-store.js';
import { createMemoryRecords } from '../../src/store/memory/memory-record-store.js';
import { diskEngine, memoryEngine } from './engines.js';
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
};
