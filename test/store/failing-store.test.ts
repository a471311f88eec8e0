import { expect, test } from 'vitest';
import { createMemoryStore } from '../../src/store/memory/memory-store.js';
import { failingStore } from '../support/failing-store.js';
import { component, registryOptions, TestRegistry } from '../support/registry.js';

test('the third write fails and leaves no trace; the fourth is taken', async () => {
  const registry = new TestRegistry(await failingStore(createMemoryStore(), 3).load(registryOptions()));
  const write = (name: string) => registry.upsertLocal([component(name)]);
  await write('a');
  await write('b');
  const before = await registry.state();
  await expect(write('c')).rejects.toThrow('The disk of this node is full');
  expect(await registry.state()).toEqual(before);
  await write('d');
  expect(await registry.labels()).toEqual(['a', 'b', 'd']);
});
