import type { Engine } from '../support/engines.js';
import { historyContract } from './histories.js';
import { pinContract } from './pin-contract.js';
import { registryContract } from './registry-contract.js';

/** Everything that a registry does, whatever it is kept in. Call it in the test file of an engine. */
export function registryContracts(
  name: string,
  createEngine: () => Promise<Engine>,
  histories: number,
): void {
  registryContract(name, createEngine);
  pinContract(name, createEngine);
  historyContract(name, createEngine, histories);
}
