import { expect, it } from 'vitest';
import { mappedBytes } from '../../src/lib/mapped-bytes.js';

it('is so many zeros, which can be written to', () => {
  const bytes = mappedBytes(100_000);
  expect([bytes.length, bytes.every((byte) => byte === 0)]).toEqual([100_000, true]);
  bytes.fill(7);
  expect(bytes.every((byte) => byte === 7)).toBe(true);
});
