import { postgresEngine } from '../support/engines.js';
import { registryContract } from './histories.js';

registryContract('postgres', postgresEngine, { runs: 4, nodes: 2 });
