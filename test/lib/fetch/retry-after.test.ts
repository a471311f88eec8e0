import { expect, it } from 'vitest';
import { retryAfter } from '../../../src/lib/http/headers/http-date.js';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it.each([
  ['120', 120_000],
  [' 1 ', 1000],
  ['Fri, 20 Nov 2026 13:00:00 GMT', HOUR],
  ['Friday, 20-Nov-26 13:00:00 GMT', HOUR],
  ['Fri Nov 20 13:00:00 2026', HOUR],
  ['86401', DAY],
  ['99999999999999999999', DAY],
  ['Fri, 20 Nov 2099 13:00:00 GMT', DAY],
])('Retry-After: %s asks for %i ms, a day at most', (value, wait) => {
  expect(retryAfter(value, NOW)).toBe(NOW + wait);
});

it.each([null, '', 'soon', '-1', '1.5', '0', '2026-11-20T13:00:00Z', 'Fri, 20 Nov 2026 11:00:00 GMT'])(
  'Retry-After: %s asks for no wait',
  (value) => {
    expect(retryAfter(value, NOW)).toBeUndefined();
  },
);
