import { createMemoryRecords } from '../../../src/store/memory/memory-record-store.js';
import { recordStoreContract } from '../record-store-contract.js';

recordStoreContract('memory', async () => ({ ...createMemoryRecords(), remove: async () => undefined }));
