import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/store/memory/memory-store.js';
import { arrivalContract } from '../../registry/arrival-contract.js';
import { catalogContract } from '../../registry/catalog-contract.js';
import { digestContract } from '../../registry/digest-contract.js';
import { feedContract } from '../../registry/feed-contract.js';
import { forgettingContract } from '../../registry/forgetting-contract.js';
import { pinContract } from '../../registry/pin-contract.js';
import { pinHistories } from '../../registry/pin-history.js';
import { registryContract } from '../../registry/registry-contract.js';
import { OK, POD_A } from '../../registry/sources.js';
import { memoryEngine } from '../../support/engines.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { rounds } from '../../support/torture.js';

registryContract('memory', memoryEngine);
catalogContract('memory', memoryEngine);
feedContract('memory', memoryEngine);
forgettingContract('memory', memoryEngine);
digestContract('memory', memoryEngine);
pinContract('memory', memoryEngine);
arrivalContract('memory', memoryEngine);
pinHistories('memory', memoryEngine, rounds({ short: 100, full: 1000 }));

test('what the store holds at some moment is a backup that can be restored', async () => {
  const store = createMemoryStore();
  const registry = new TestRegistry(await store.load(registryOptions()));
  const say = (name: string) =>
    registry.commit({
      source: POD_A,
      documents: [{ url: POD_A.url, components: [component(name)], record: {} }],
      record: OK,
    });
  await say('before');
  const backup = store.data;
  await say('after');
  const restored = new TestRegistry(await createMemoryStore(backup).load(registryOptions()));
  expect([await registry.labels(), await restored.labels()]).toEqual([['after'], ['before']]);
});
