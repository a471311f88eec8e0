import { expect, test } from 'vitest';
import { relativeTime, timePassed } from '../../../src/pages/browser/relative-time.js';

const NOW = Date.UTC(2026, 0, 1, 12);

test.each([
  [0, 'now'],
  [-1500, '1 second ago'],
  [-59_999, '59 seconds ago'],
  [-60_000, '1 minute ago'],
  [-3_599_000, '59 minutes ago'],
  [-7_200_000, '2 hours ago'],
  [-86_400_000, 'yesterday'],
  [-3 * 86_400_000, '3 days ago'],
  [-40 * 86_400_000, 'last month'],
  [-70 * 86_400_000, '2 months ago'],
  [-800 * 86_400_000, '2 years ago'],
  [90_000, 'in 1 minute'],
  [86_400_000, 'tomorrow'],
])('%d ms away is %j', (ms, expected) => {
  expect(relativeTime(NOW + ms, NOW)).toBe(expected);
});

test.each([
  [0, '1 second'],
  [-12_000, '12 seconds'],
  [-60_000, '1 minute'],
  [-86_400_000, '1 day'],
  [-800 * 86_400_000, '2 years'],
])('what began %d ms away has lasted for %j', (ms, expected) => {
  expect(timePassed(NOW + ms, NOW)).toBe(expected);
});
