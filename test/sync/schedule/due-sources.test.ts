import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueSources } from '../../../src/sync/schedule/due-sources.js';

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
