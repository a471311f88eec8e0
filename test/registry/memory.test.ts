import { memoryEngine } from '../support/engines.js';
import { registryContracts } from './contracts.js';

registryContracts('memory', memoryEngine);
