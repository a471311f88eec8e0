import { expect, test } from 'vitest';
import type { Pace } from '../../src/lib/pace.js';
import { component, memoryRegistry } from '../support/registry.js';

test('searches by words look through all components one after the other, not side by side', async () => {
  const looking: number[] = [];
  let begun = 0;
  const pace: Pace = () => {
    const own = begun++;
    return async () => {
      looking.push(own);
      await new Promise((resolve) => setImmediate(resolve));
    };
  };
  const registry = await memoryRegistry({ pace });
  const { catalog } = registry;
  const label = 'red green blue';
  await registry.upsertLocal(Array.from({ length: 50 }, (_, i) => component(`${i}`, { label })));
  looking.splice(0);
  const searches = ['red', 'green', 'blue'].map((q) => catalog.page({ q }, { limit: 1 }));
  const found = await Promise.all([...searches, catalog.page({ q: 'r', tag: ['none'] })]);
  expect(found.map(({ next }) => next !== undefined)).toEqual([true, true, true, false]);
  const turns = looking.filter((one, i) => one !== looking[i - 1]);
  expect(turns).toHaveLength(3);
});
