import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueSources, firstAttempt, largestPhase } from '../../../src/sync/schedule/due.js';

const now = 1_000_000_000;
const interval = 300_000;
const at = { now, next: now + 100_000, interval };
const read = { failures: 0, lastSuccess: now - 1 };
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('due', () => {
  it('gives exactly those whose time has come, the longest overdue first', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ nextAttempt: fc.integer() })), fc.nat(), (planned, time) => {
        const chosen = new DueSources<{ nextAttempt: number }>().among(planned, time);
        expect(chosen).toHaveLength(planned.filter(({ nextAttempt }) => nextAttempt <= time).length);
        for (const one of chosen) expect(planned).toContain(one);
        const times = chosen.map(({ nextAttempt }) => nextAttempt);
        expect(times).toEqual([...times].sort((a, b) => a - b));
        expect(times.every((nextAttempt) => nextAttempt <= time)).toBe(true);
      }),
    );
  });
});

describe('due sources', () => {
  it('are found at their time, and not looked for before', () => {
    const planned = [{ nextAttempt: 20 }, { nextAttempt: 10 }];
    const sources = new DueSources<{ nextAttempt: number }>();
    let looks = 0;
    const look = (time: number) => {
      const counted = function* () {
        looks += 1;
        yield* planned;
      };
      return sources.among(counted(), time).map(({ nextAttempt }) => nextAttempt);
    };
    expect([look(1), look(9), look(10), look(20), looks]).toEqual([[], [], [10], [10, 20], 3]);
    for (const one of planned) one.nextAttempt += 100;
    expect([look(25), look(109)]).toEqual([[], []]);
    planned.push({ nextAttempt: 50 });
    sources.planned();
    expect(look(50)).toEqual([50]);
  });
});

describe('firstAttempt', () => {
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

describe('largestPhase', () => {
  it('is half an interval, and minutes at most, so that "at three" does not become "at four"', () => {
    expect(largestPhase(10_000)).toBe(5_000);
    expect(largestPhase(24 * 3_600_000)).toBe(300_000);
  });
});
