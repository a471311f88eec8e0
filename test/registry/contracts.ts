import type { Engine } from '../support/engines.js';
import { catalogContract } from './catalog-contract.js';
import { feedContract } from './feed-contract.js';
import { forgettingContract } from './forgetting-contract.js';
import { pinContract } from './pin-contract.js';
import { registryContract } from './registry-contract.js';

/** Everything that a registry does, whatever it is kept in. Call it in the test file of an engine. */
export function registryContracts(name: string, createEngine: () => Promise<Engine>): void {
  registryContract(name, createEngine);
  catalogContract(name, createEngine);
  feedContract(name, createEngine);
  forgettingContract(name, createEngine);
  pinContract(name, createEngine);
}
