/** Breaks the planned rule in the modules that tests load from the sources, before each file of tests. */
import { vi } from 'vitest';
import { plannedRule } from './planted.js';

if (plannedRule) {
  const { module, broken } = plannedRule;
  vi.doMock(`../../src/${module}.ts`, async (load) => {
    const original = await load<object>();
    return { ...original, ...broken(original as never) };
  });
}
