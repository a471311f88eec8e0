import { levelEngine } from '../support/engines.js';
import { rounds } from '../support/torture.js';
import { registryContracts } from './contracts.js';

registryContracts('level', levelEngine, rounds({ short: 8, full: 1_000 }));
