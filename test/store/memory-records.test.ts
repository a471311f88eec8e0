import { createMemoryRecords } from '../support/memory-records.js';
import { recordStoreContract } from './record-store-contract.js';

recordStoreContract('memory', async () => ({ ...createMemoryRecords(), remove: async () => undefined }));
