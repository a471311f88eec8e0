import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDiskRecords } from '../../../src/store/disk/record-store.js';
import { tempDir } from '../../support/temp-dir.js';
import { recordStoreContract } from '../record-store-contract.js';

recordStoreContract('disk', async () => {
  const base = await tempDir();
  return {
    open: (dataDir, options) => openDiskRecords(join(base, dataDir), options),
    remove: () => rm(base, { recursive: true, force: true }),
  };
});
