import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/source-record.js';
import { afterAttempt } from '../../../src/sync/schedule/source-state.js';

const attempt = { began: 100, ended: 120, nextAttempt: 400 };

describe('afterAttempt', () => {
  it('notes a success and forgets the failures before it', () => {
    const before = { failures: 3, failingSince: 10, error: 'down', lastAttempt: 90, memo: { etag: 'x' } };
    expect(afterAttempt(before, attempt)).toEqual({
      lastAttempt: 100,
      firstSuccess: 120,
      lastSuccess: 120,
      nextAttempt: 400,
      failures: 0,
      memo: { etag: 'x' },
    });
  });

  it('counts failures from the first on, and keeps the last success', () => {
    const first = afterAttempt({ failures: 0, lastSuccess: 50 }, { ...attempt, error: 'down' });
    expect(first).toEqual({
      lastAttempt: 100,
      firstSuccess: 50,
      lastSuccess: 50,
      nextAttempt: 400,
      failures: 1,
      failingSince: 100,
      error: 'down',
    });
    const second = afterAttempt(first, { began: 400, ended: 410, nextAttempt: 999, error: 'still down' });
    expect(second).toMatchObject({ failures: 2, failingSince: 100, error: 'still down', lastSuccess: 50 });
  });

  it('keeps the first success; of a source that an earlier version has read, the last one before', () => {
    const first = afterAttempt({ failures: 0 }, attempt);
    expect(afterAttempt(first, { began: 400, ended: 410, nextAttempt: 999 }).firstSuccess).toBe(120);
    expect(afterAttempt({ failures: 0 }, { ...attempt, error: 'down' }).firstSuccess).toBeUndefined();
  });

  it('tells a failure that will not end by itself, until it has ended', () => {
    const failed = afterAttempt({ failures: 0 }, { ...attempt, error: 'gone', permanent: true });
    expect(failed).toMatchObject({ error: 'gone', permanent: true });
    expect(afterAttempt(failed, attempt)).not.toHaveProperty('permanent', expect.anything());
  });

  it('replaces the memo when the source gives a new one', () => {
    const remember = ({ memo }: SourceRecord) => ({ memo: { ...memo, b: 2 } });
    expect(afterAttempt({ failures: 0, memo: { a: 1 } }, { ...attempt, remember }).memo).toEqual({
      a: 1,
      b: 2,
    });
  });
});
