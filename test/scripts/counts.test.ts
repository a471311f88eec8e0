import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countsIn, summary } from '../../scripts/test/counts.js';
import { tempDir } from '../support/temp-dir.js';

it('counts tests, and a file that could not be loaded as one that failed', async () => {
  const file = join(await tempDir(), 'report.json');
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
    { status: 'failed', assertionResults: [] },
  ];
  const numbers = { numPassedTests: 2, numFailedTests: 1, numPendingTests: 3, numTodoTests: 1 };
  writeFileSync(file, JSON.stringify({ ...numbers, testResults }));
  expect(summary(countsIn(file), false)).toBe('2 passed, 2 failed, 4 skipped');
});

it('has nothing but a failure to report when no test ran', () => {
  expect(summary(countsIn('/nowhere/none.json'), false)).toBe('0 passed, 1 failed');
});
