import { postgresEngine } from '../keep/postgres/postgres-engine.js';
import { registryContract } from './histories.js';

registryContract('postgres', postgresEngine, { runs: 4, nodes: 2 });
