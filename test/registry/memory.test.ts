import { memoryEngine } from '../support/engines.js';
import { rounds } from '../support/torture.js';
import { registryContracts } from './contracts.js';

registryContracts('memory', memoryEngine, rounds({ short: 100, full: 1000 }));
