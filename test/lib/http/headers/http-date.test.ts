import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../../../src/lib/http/headers/http-date.js';

it('reads what it writes, to the second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
      expect(parseHttpDate(formatHttpDate(ms))).toBe(Math.floor(ms / 1000) * 1000);
    }),
  );
});

it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
  'reads %s',
  (text) => {
    expect(parseHttpDate(text)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  },
);

it.each(['', '0', '2026', '1994-11-06', 'Sun, 06 Nov 1994 08:49:37 CET', 'Sun, 99 Nov 1994 08:49:37 GMT'])(
  'does not read %j',
  (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  },
);
