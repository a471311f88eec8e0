import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editDistance, nearest } from '../../src/lib/nearest.js';

it.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['port', 'prot', 2],
])('%j and %j are %i edits apart', (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits);
});

it('measures the same distance in both directions, and none from a word to itself', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(editDistance(one, other)).toBe(editDistance(other, one));
      expect(editDistance(one, one)).toBe(0);
    }),
  );
});

it('suggests the nearest candidate, whatever its letter case', () => {
  expect(nearest('Prot', ['host', 'port', 'path'], 0.5)).toBe('port');
  expect(nearest('LISTEN', ['listen', 'limits'])).toBe('listen');
});

it('suggests nothing that is too far off', () => {
  expect(nearest('banana', ['host', 'port'])).toBeUndefined();
  expect(nearest('banana', [])).toBeUndefined();
});
