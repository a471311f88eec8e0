import { memoryEngine } from '../keep/memory-engine.js';
import { rounds } from '../support/torture.js';
import { registryContract } from './histories.js';

registryContract('memory', memoryEngine, { runs: rounds({ short: 60, full: 10_000 }), nodes: 2 });
