import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { conditionsOf, isConditional } from '../../../src/lib/fetch/validators.js';
import { fingerprintOf } from '../../../src/sync/peer/peer-request.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';
const BODY = new TextEncoder().encode('body');
const hash = createHash('sha256').update(BODY).digest('base64url');
const mark = (headers: Record<string, string>) => fingerprintOf(new Headers(headers), BODY);

describe('the mark of an answer', () => {
  it('is its entity tag alone, where it has one', () => {
    expect(mark({ etag: '"1"', 'last-modified': DATE, date: 'Sun, 22 Nov 2026 11:00:00 GMT' })).toEqual({
      etag: '"1"',
    });
    expect(conditionsOf({ etag: '"1"' })).toEqual({ 'if-none-match': '"1"' });
  });

  it('is else its date, as the server wrote it, and the hash of its body', () => {
    const dated = mark({ 'last-modified': DATE, date: 'Sun, 22 Nov 2026 10:00:01 GMT' });
    expect(dated).toEqual({ lastModified: DATE, hash });
    expect(conditionsOf(dated)).toEqual({ 'if-modified-since': DATE });
  });

  it.each([
    ['of the second of the answer, in which it may change again', DATE, DATE],
    ['after the answer', 'Sun, 22 Nov 2026 10:00:05 GMT', DATE],
    ['that cannot be read', 'yesterday', DATE],
    ['of an answer without a date', DATE, undefined],
  ])('leaves out a date %s', (_, lastModified, date) => {
    const undated = mark({ 'last-modified': lastModified, ...(date === undefined ? {} : { date }) });
    expect(undated).toEqual({ hash });
    expect(isConditional(undated)).toBe(false);
  });
});
