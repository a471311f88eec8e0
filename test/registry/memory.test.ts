import { memoryEngine } from '../support/engines.js';
import { rounds } from '../support/torture.js';
import { registryContracts } from './contracts.js';

registryContracts('memory', memoryEngine, rounds({ short: 60, full: 10_000 }));
