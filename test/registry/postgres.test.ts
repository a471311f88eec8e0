import { postgresEngines } from '../support/engines.js';
import { rounds } from '../support/torture.js';
import { registryContracts } from './contracts.js';
import { decisionsContract } from './decisions-contract.js';

const engine = postgresEngines();
registryContracts('postgres', engine, rounds({ short: 8, full: 1000 }));

decisionsContract('postgres, two nodes', async () => {
  const { open } = await engine();
  return [await open(), await open()];
});
