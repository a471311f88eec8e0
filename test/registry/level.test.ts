import { levelEngine } from '../keep/level-engine.js';
import { rounds } from '../support/torture.js';
import { registryContract } from './histories.js';

registryContract('level', levelEngine, { runs: rounds({ short: 8, full: 1_000 }), nodes: 1 });
