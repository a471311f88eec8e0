import { keepContract } from '../contract.js';
import { postgresEngine } from './postgres-engine.js';

keepContract('postgres', postgresEngine, { canBeDamaged: true, canBeRestored: true });
