import { expect, test } from 'vitest';
import { type ModuleState, moduleState } from '../../src/core/module-health.js';

const URI = 'https://c.example/c.js';
const PIN = { integrity: 'sha384-a' };
const FILES = [{ uri: URI, integrity: 'sha384-a', changed: 'sha384-b' }];
const failed = (failures: number) => ({ uri: URI, error: 'answers 404', at: 1, failures });

test.each<[string, ...Parameters<typeof moduleState>, ModuleState]>([
  ['was seen and is as it was', PIN, undefined, 'reachable'],
  ['was never looked at', undefined, undefined, 'unknown'],
  ['was there before, and failed once', PIN, failed(1), 'missed'],
  ['was there before, and failed twice', PIN, failed(2), 'dead'],
  ['was never there', undefined, failed(1), 'dead'],
  ['has other bytes', { ...PIN, changed: 'sha384-b' }, undefined, 'changed'],
  ['has other bytes in a file that it imports', { ...PIN, files: FILES }, undefined, 'changed'],
])('a module that %s', (_, pin, failing, expected) => {
  expect(moduleState(pin, failing)).toBe(expected);
});
