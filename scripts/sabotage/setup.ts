/** Breaks the planned rule in the modules that tests load from the sources, before each file of tests. */
import { vi } from 'vitest';
import { plannedRule, replacements } from './planted.js';

const rule = plannedRule();
if (rule) {
  vi.doMock(`../../src/${rule.module}.ts`, async (load) => {
    const original = await load<object>();
    return { ...original, ...replacements(original) };
  });
}
