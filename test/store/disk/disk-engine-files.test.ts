import { pinContract } from '../../registry/pin-contract.js';
import { registryContract } from '../../registry/registry-contract.js';
import { diskEngine } from '../../support/engines.js';

// Each test closes and opens files several times, which takes most of their time: here are the contracts that say what a
// start finds again. The others are shown by disk-engine.test.ts alone, on a database in memory.
registryContract('disk, on files with snapshots', diskEngine('disk', { snapshotsFrom: 1 }));
pinContract('disk, on files with snapshots', diskEngine('disk', { snapshotsFrom: 1 }));
