import { expect, test } from 'vitest';
import { measurePrecision } from '../matching/precision.js';

test('what a person would expect comes first for most documents, and early for nearly all', async () => {
  const { documents, components, atOne, atThree, wrong } = await measurePrecision();
  expect(documents).toBeGreaterThanOrEqual(200);
  expect(components).toBeGreaterThanOrEqual(50);
  const seen = wrong.map(({ name, first }) => `${name}: ${first[0]}`).join('\n');
  expect(atOne, seen).toBeGreaterThanOrEqual(0.9);
  expect(atThree, seen).toBeGreaterThanOrEqual(0.98);
});
