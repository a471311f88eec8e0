import { describe } from 'vitest';
import { decisionsContract } from '../../registry/decisions-contract.js';
import { postgresEngines } from '../../support/postgres-engine.js';

describe('with a real PostgreSQL', () => {
  const engine = postgresEngines();
  decisionsContract('postgres, two nodes', async () => {
    const { open } = await engine();
    return [await open({}), await open({})];
  });
});
