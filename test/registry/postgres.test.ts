import { postgresEngines } from '../support/engines.js';
import { registryContracts } from './contracts.js';

registryContracts('postgres', postgresEngines());
