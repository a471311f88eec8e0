import { decisionsContract, singleNode } from '../../registry/decisions-contract.js';
import { memoryEngine } from '../../support/engines.js';

decisionsContract('memory', singleNode(memoryEngine));
