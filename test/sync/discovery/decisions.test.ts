import { decisionsContract, singleNode } from '../../registry/decisions-contract.js';
import { diskEngine, memoryEngine } from '../../support/engines.js';

decisionsContract('memory', singleNode(memoryEngine));
decisionsContract('disk', singleNode(diskEngine('memory')));
