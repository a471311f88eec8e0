import { expect, it } from 'vitest';
import { durationMs } from '../../../src/connection/tokens/make-token.js';

it.each([
  ['90s', 90_000],
  ['2m', 120_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
])('%s is a time', (text, milliseconds) => {
  expect(durationMs(text)).toBe(milliseconds);
});

it.each(['', '30', '0s', '-1d', '1.5h', '2 m', '2min', 's'])('%j is none', (text) => {
  expect(durationMs(text)).toBeUndefined();
});
