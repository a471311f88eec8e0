import { levelEngine } from '../support/engines.js';
import { registryContracts } from './contracts.js';

registryContracts('level', levelEngine);
