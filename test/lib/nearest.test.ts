import { expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.js';

it('suggests the nearest candidate, whatever its letter case', () => {
  expect(nearest('Prot', ['host', 'port', 'path'], 0.5)).toBe('port');
  expect(nearest('LISTEN', ['listen', 'limits'])).toBe('listen');
});

it('suggests nothing that is too far off', () => {
  expect(nearest('banana', ['host', 'port'])).toBeUndefined();
  expect(nearest('banana', [])).toBeUndefined();
});
