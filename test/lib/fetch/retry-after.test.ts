import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../../src/lib/fetch/retry-after.js';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const HOUR = 3_600_000;

describe('retryAfter', () => {
  it('reads seconds', () => {
    expect(retryAfter('120', NOW)).toBe(NOW + 120_000);
    expect(retryAfter(' 1 ', NOW)).toBe(NOW + 1000);
  });

  it.each(['Fri, 20 Nov 2026 13:00:00 GMT', 'Friday, 20-Nov-26 13:00:00 GMT', 'Fri Nov 20 13:00:00 2026'])(
    'reads the date %s',
    (date) => {
      expect(retryAfter(date, NOW)).toBe(NOW + HOUR);
    },
  );

  it('reads an asctime day of one digit', () => {
    expect(retryAfter('Tue Dec  1 00:30:00 2026', Date.UTC(2026, 11, 1))).toBe(Date.UTC(2026, 11, 1, 0, 30));
  });

  it.each(['86401', '99999999999999999999', 'Fri, 20 Nov 2099 13:00:00 GMT'])(
    'waits a day at most: %s',
    (value) => {
      expect(retryAfter(value, NOW)).toBe(NOW + 24 * HOUR);
    },
  );

  it.each([
    null,
    undefined,
    '',
    'soon',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '0',
    '2026-11-20T13:00:00Z',
    'Fri, 20 Nov 2026 13:00:00 CET',
    'Fri, 20 Nov 2026 11:00:00 GMT',
    '1, 2',
  ])('asks for no wait: %s', (value) => {
    expect(retryAfter(value, NOW)).toBeUndefined();
  });
});
