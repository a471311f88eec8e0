import { describe } from 'vitest';
import { arrivalContract } from '../../registry/arrival-contract.js';
import { catalogContract } from '../../registry/catalog-contract.js';
import { digestContract } from '../../registry/digest-contract.js';
import { feedContract } from '../../registry/feed-contract.js';
import { forgettingContract } from '../../registry/forgetting-contract.js';
import { pinContract } from '../../registry/pin-contract.js';
import { pinHistories } from '../../registry/pin-history.js';
import { registryContract } from '../../registry/registry-contract.js';
import { postgresEngines } from '../../support/postgres-engine.js';
import { rounds } from '../../support/torture.js';

/** Random runs of a property: fewer than for the engines that ask no other process. */
const RUNS = rounds({ short: 8, full: 1000 });

describe('with a real PostgreSQL', () => {
  const engine = postgresEngines();
  registryContract('postgres', engine);
  catalogContract('postgres', engine, RUNS);
  feedContract('postgres', engine);
  forgettingContract('postgres', engine);
  digestContract('postgres', engine);
  pinContract('postgres', engine);
  arrivalContract('postgres', engine, RUNS);
  pinHistories('postgres', engine, RUNS);
});
