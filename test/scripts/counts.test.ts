import { expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { countsIn, summary } from '../../scripts/test/counts.js';

/** A file of tests as vitest tells of it. */
const file = (state: string, ...tests: readonly string[]) => {
  const allTests = () => tests.map((one) => ({ result: () => ({ state: one }) }));
  return { state: () => state, children: { allTests } } as unknown as TestModule;
};

it('counts tests, and a file that could not be loaded as one that failed', () => {
  const files = [file('passed', 'passed', 'skipped'), file('failed', 'failed', 'passed'), file('failed')];
  expect(summary(countsIn(files), false)).toBe('2 passed, 2 failed, 1 skipped');
});

it('has nothing but a failure to report when no test ran', () => {
  expect(summary(countsIn([]), false)).toBe('0 passed, 1 failed');
});
