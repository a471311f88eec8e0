import { expect, test } from 'vitest';
import { type ModuleState, moduleState } from '../../src/core/module-health.js';

const PIN = { integrity: 'sha384-a' };
const failing = (failures: number) => ({
  uri: 'https://c.example/c.js',
  error: 'answers 404',
  at: 1,
  failures,
});

test.each<[string, Parameters<typeof moduleState>, ModuleState]>([
  ['was seen and is as it was', [PIN, undefined], 'reachable'],
  ['was never looked at', [undefined, undefined], 'unknown'],
  ['was there before, and failed once', [PIN, failing(1)], 'missed'],
  ['was there before, and failed twice', [PIN, failing(2)], 'dead'],
  ['was never there', [undefined, failing(1)], 'dead'],
  ['has other bytes', [{ ...PIN, changed: 'sha384-b' }, undefined], 'changed'],
  [
    'has other bytes in a file that it imports',
    [
      { ...PIN, files: [{ uri: 'https://c.example/x.js', integrity: 'sha384-a', changed: 'sha384-b' }] },
      undefined,
    ],
    'changed',
  ],
])('a module that %s', (_what, [pin, failure], expected) => {
  expect(moduleState(pin, failure)).toBe(expected);
});
