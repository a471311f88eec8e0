import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHttpDate } from '../../../../src/lib/http/headers/http-date.js';
import { isNotModified, lastModified } from '../../../../src/lib/http/response/conditional.js';

const SINCE = Date.UTC(2026, 0, 1, 12, 0, 0, 400);
const NOW = SINCE + 3_600_000;
const VALIDATORS = { etag: '"abc.1.json"', since: SINCE };
const OLD = formatHttpDate(SINCE - 60_000);
const LATE = formatHttpDate(SINCE + 60_000);

describe('isNotModified', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['no conditions', undefined, undefined, false],
    ['the tag', '"abc.1.json"', undefined, true],
    ['the tag among others', '"x", "abc.1.json" , W/"y"', undefined, true],
    ['the tag, weak', 'W/"abc.1.json"', undefined, true],
    ['any tag', '*', undefined, true],
    ['another tag', '"abc.2.json"', undefined, false],
    ['the tag without quotes', 'abc.1.json', undefined, false],
    ['an empty header', '', undefined, false],
    ['another tag wins over a fitting date', '"other"', LATE, false],
    ['the tag wins over an old date', '"abc.1.json"', OLD, true],
    ['a later date', undefined, LATE, true],
    ['an older date', undefined, OLD, false],
    ['the second of the change', undefined, formatHttpDate(SINCE), false],
    ['the second after', undefined, formatHttpDate(SINCE + 1000), true],
    ['a date in the RFC 850 form', undefined, 'Thursday, 01-Jan-26 12:00:09 GMT', true],
    ['a date as asctime has it', undefined, 'Thu Jan  1 12:00:09 2026', true],
    ['a date in the future', undefined, formatHttpDate(NOW + 60_000), false],
    ['an ISO date', undefined, '2026-01-01T12:30:00Z', false],
    ['rubbish', undefined, 'yesterday', false],
  ])('%s', (_what, ifNoneMatch, ifModifiedSince, expected) => {
    expect(isNotModified({ ifNoneMatch, ifModifiedSince }, VALIDATORS, NOW)).toBe(expected);
  });

  it('never hides a change that came after the read that a Last-Modified was given to', () => {
    const ms = fc.integer({ min: 0, max: 5000 });
    fc.assert(
      fc.property(ms, ms, fc.integer({ min: 1, max: 5000 }), (first, wait, between) => {
        const conditions = { ifNoneMatch: undefined, ifModifiedSince: lastModified(first, first + wait) };
        const since = first + wait + between;
        expect(isNotModified(conditions, { etag: '"x"', since }, since + 60_000)).toBe(false);
      }),
    );
  });
});
