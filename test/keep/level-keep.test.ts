import { keepContract } from './contract.js';
import { levelEngine } from './level-engine.js';

keepContract('level', levelEngine, { canBeDamaged: true, canBeRestored: false });
