import { keepContract } from './contract.js';
import { memoryEngine } from './memory-engine.js';

keepContract('memory', memoryEngine, { canBeDamaged: false, canBeRestored: true });
