import { newDatabase } from '../../support/shared-server.js';
import { keepContract } from '../contract.js';
import { postgresEngine } from './postgres-engine.js';

keepContract('postgres', async () => postgresEngine(await newDatabase()), {
  canBeDamaged: true,
  canBeRestored: true,
});
