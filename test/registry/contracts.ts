import type { Engine } from '../support/engines.js';
import { catalogContract } from './catalog-contract.js';
import { decisionsContract, singleNode } from './decisions-contract.js';
import { digestContract } from './digest-contract.js';
import { feedContract } from './feed-contract.js';
import { forgettingContract } from './forgetting-contract.js';
import { pinContract } from './pin-contract.js';
import { pinHistories } from './pin-history.js';
import { registryContract } from './registry-contract.js';

/** Everything that a registry does, whatever it is kept in. Call it in the test file of an engine. `runs`: of random histories. */
export function registryContracts(name: string, createEngine: () => Promise<Engine>, runs: number): void {
  registryContract(name, createEngine);
  catalogContract(name, createEngine);
  feedContract(name, createEngine);
  forgettingContract(name, createEngine);
  digestContract(name, createEngine);
  pinContract(name, createEngine);
  decisionsContract(name, singleNode(createEngine));
  pinHistories(name, createEngine, runs);
}
