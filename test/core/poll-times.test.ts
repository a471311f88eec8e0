import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstAttempt,
  LONGEST_BACKOFF,
  LONGEST_RETRY_AFTER,
  largestPhase,
  latestAttempt,
  retryAt,
} from '../../src/core/poll-times.js';

const failing = fc.record({
  failures: fc.integer({ min: 1, max: 2000 }),
  interval: fc.integer({ min: 1000, max: 7 * 24 * 3_600_000 }),
  now: fc.integer({ min: 0, max: 4e12 }),
  trust: fc.constantFrom('configured' as const, 'learned' as const),
});
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryAt', () => {
  const learned = { interval: 60_000, now: 0, trust: 'learned' } as const;

  it('waits at least half an interval and at most an hour', () => {
    fc.assert(
      fc.property(failing, chance, (state, random) => {
        const wait = retryAt(state, () => random) - state.now;
        expect(wait).toBeLessThanOrEqual(LONGEST_BACKOFF);
        expect(wait).toBeGreaterThanOrEqual(Math.min(state.interval, LONGEST_BACKOFF) / 2);
      }),
    );
  });

  it('never waits less after one more failure, chance being equal', () => {
    fc.assert(
      fc.property(failing, chance, (state, random) => {
        const more = { ...state, failures: state.failures + 1 };
        expect(retryAt(more, () => random)).toBeGreaterThanOrEqual(retryAt(state, () => random));
      }),
    );
  });

  it('doubles from the interval', () => {
    const waits = [1, 2, 3, 4, 9].map((failures) => retryAt({ ...learned, failures }, () => 1));
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 3_600_000]);
  });

  it('quadruples where trying again cannot help by itself', () => {
    const wait = (failures: number) => retryAt({ ...learned, failures, permanent: true }, () => 1);
    expect([1, 2, 3, 4].map(wait)).toEqual([60_000, 240_000, 960_000, 3_600_000]);
  });

  it.each([
    [10_000, 60_000],
    [300_000, 600_000],
    [24 * 3_600_000, LONGEST_BACKOFF],
  ])(
    'ends, of what the operator has named, at twice the interval (%i ms), and at a minute at least',
    (interval, longest) => {
      for (const permanent of [false, true]) {
        const state = { failures: 20, interval, now: 0, permanent, trust: 'configured' } as const;
        expect(retryAt(state, () => 1)).toBe(longest);
      }
    },
  );

  it('lets the server decide, sooner or later than the backoff, within an hour', () => {
    fc.assert(
      fc.property(failing, chance, fc.integer({ min: 1, max: 1e12 }), (state, random, ahead) => {
        const wait = retryAt({ ...state, notBefore: state.now + ahead }, () => random) - state.now;
        const expected = Math.max(ahead, Math.min(state.interval, 10_000));
        expect(wait).toBe(Math.min(expected, LONGEST_RETRY_AFTER));
      }),
    );
  });

  it('takes a time that has passed for no wish at all', () => {
    const state = { ...learned, failures: 3, now: 1000 };
    expect(retryAt({ ...state, notBefore: 500 }, () => 0)).toBe(retryAt(state, () => 0));
  });
});

describe('firstAttempt', () => {
  const now = 1_000_000_000;
  const interval = 300_000;
  const at = { now, next: now + 100_000, interval };
  const read = { failures: 0, lastSuccess: now - 1 };

  it.each([
    ['was never polled', undefined],
    ['was never read, whatever was planned', { failures: 3, nextAttempt: now + 50_000 }],
  ])('is now for a source that %s', (_, record) => {
    expect(firstAttempt(record, at, () => 0.9)).toBe(now);
  });

  it('keeps what was planned before the restart', () => {
    const record = { ...read, nextAttempt: now + 90_000 };
    expect(firstAttempt(record, at, () => 0.9)).toBe(now + 90_000);
  });

  it('keeps the backoff of a source that fails', () => {
    const record = { ...read, failures: 5, nextAttempt: now + 3_000_000 };
    expect(firstAttempt(record, at, () => 0.9)).toBe(now + 3_000_000);
  });

  it('spreads those that became due while the node was down', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: now }), chance, (nextAttempt, random) => {
        const first = firstAttempt({ ...read, nextAttempt }, at, () => random);
        expect(first).toBe(now + random * largestPhase(interval));
      }),
    );
  });

  it('does not wait for a time that only an earlier, rarer schedule could mean', () => {
    const record = { ...read, nextAttempt: now + 20 * 3_600_000 };
    expect(firstAttempt(record, at, () => 0)).toBe(now);
  });
});

describe('latestAttempt', () => {
  const at = { now: 1_000_000_000, next: 1_000_100_000, interval: 300_000 };

  it('is never before a time that is planned while the clock goes on', () => {
    fc.assert(
      fc.property(failing, chance, fc.option(fc.integer({ min: 1, max: 1e12 })), (state, random, ahead) => {
        const notBefore = ahead === null ? undefined : state.now + ahead;
        const planned = retryAt({ ...state, notBefore }, () => random);
        expect(planned).toBeLessThanOrEqual(latestAttempt({ failing: true }, { ...at, now: state.now }));
      }),
    );
    expect(latestAttempt({ failing: false }, at)).toBe(at.next + 150_000 + 5 * at.interval);
  });
});

describe('largestPhase', () => {
  it('is half an interval, and minutes at most, so that "at three" does not become "at four"', () => {
    expect(largestPhase(10_000)).toBe(5_000);
    expect(largestPhase(24 * 3_600_000)).toBe(300_000);
  });
});
