import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueEvent, firstPlan, isDue, LONGEST_WAIT, type Plan, planAfter } from '../../src/core/due.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = LONGEST_WAIT;
const NOW = 1_000_000_000;
const INTERVAL = 5 * MINUTE;
const at = (more = 0, random = 1) => ({
  ...{ now: NOW + more, next: NOW + more + 100 * SECOND },
  ...{ interval: INTERVAL, random: () => random },
});
const PLAN: Plan = {
  ...{ due: NOW + INTERVAL, trust: 'configured', phase: 7 * SECOND, failures: 0 },
  ...{ disagrees: false, began: NOW - MINUTE, asked: 0, hintsFrom: 0, notBefore: 0 },
};
const down: DueEvent = { kind: 'polled', failure: { message: 'down' } };
const hint: DueEvent = { kind: 'hint' };
/** What comes of events, one after the other, each so many ms after the beginning. */
function after(plan: Partial<Plan>, ...events: (readonly [ms: number, event: DueEvent])[]): Plan {
  return events.reduce((before, [ms, event]) => planAfter(before, event, at(ms)), { ...PLAN, ...plan });
}

describe('the first poll since a start', () => {
  const read = { failures: 0, lastSuccess: NOW - 1 };
  const [LATER, PAUSED] = [NOW + 90 * SECOND, NOW + 50 * MINUTE];
  it.each([
    ['of what was never polled', undefined, NOW],
    ['of what was never read, whatever was planned', { failures: 3, nextAttempt: LATER }, NOW],
    ['keeps what was planned', { ...read, nextAttempt: LATER }, LATER],
    ['keeps a pause', { ...read, notBefore: PAUSED, nextAttempt: PAUSED }, PAUSED],
    ['keeps a back-off', { ...read, failures: 5, nextAttempt: NOW + 50 * MINUTE }, NOW + 50 * MINUTE],
    [
      'does not wait for what only a rarer schedule means',
      { ...read, nextAttempt: NOW + 20 * HOUR },
      'spread',
    ],
    ['of what became due while nobody was there', { ...read, nextAttempt: NOW - 1 }, 'spread'],
    ['of what bears no plan', read, 'spread'],
    ['of what was never read waits for its server', { failures: 1, notBefore: LATER }, LATER],
    ['waits an hour for a server at most', { failures: 1, notBefore: NOW + 2 * HOUR }, NOW],
  ] as const)('%s', (_, record, expected) => {
    const spread = NOW + 0.4 * (INTERVAL / 2);
    const { due, disagrees, failures } = firstPlan('configured', record, at(0, 0.4));
    expect([disagrees, failures]).toEqual([false, record && 'failures' in record ? record.failures : 0]);
    expect(due).toBe(expected === 'spread' ? spread : expected);
  });

  it.each([
    [10 * SECOND, 5 * SECOND],
    [24 * 60 * MINUTE, 5 * MINUTE],
  ])('comes at its own time, within half an interval (%i ms) and minutes', (interval, phase) => {
    expect(firstPlan('learned', undefined, { ...at(), interval }).phase).toBe(phase);
  });
});

describe('after a poll that succeeded', () => {
  it('the schedule decides, and the phase of the source', () => {
    const plan = after({ failures: 4, disagrees: true }, [0, { kind: 'begun' }], [0, { kind: 'polled' }]);
    expect(plan).toMatchObject({ due: at().next + 7 * SECOND, failures: 0, disagrees: false });
  });

  it.each([
    ['waits for a server that asks for it all the same', 30 * MINUTE, 30 * MINUTE],
    ['an hour at most', 900 * MINUTE, HOUR],
    ['and never polls before its schedule', MINUTE, 107 * SECOND],
  ])('%s', (_, ahead, wait) => {
    const plan = after({}, [0, { kind: 'polled', notBefore: NOW + ahead }]);
    expect(plan).toMatchObject({ due: NOW + wait, failures: 0 });
    expect(isDue(plan, { ...at(), next: NOW + 100 * SECOND })).toBe(false);
    expect(planAfter(plan, hint, at(1)).due).toBe(NOW + Math.min(ahead, HOUR));
  });
});

describe('after a poll that failed', () => {
  const waits = (plan: Partial<Plan>, failure: object, ...failures: number[]) =>
    failures.map((many) => {
      const event = { kind: 'polled', failure: { message: 'down', ...failure } } as const;
      return planAfter({ ...PLAN, ...plan, failures: many - 1 }, event, at()).due - NOW;
    });
  it.each([
    ['learned', [5, 10, 20, 40, 60]],
    ['configured', [5, 10, 10, 10, 10]],
  ] as const)('the wait grows from the interval: %s', (trust, minutes) => {
    expect(waits({ trust }, {}, 1, 2, 3, 4, 9)).toEqual(minutes.map((one) => one * MINUTE));
  });

  it.each([
    [10 * SECOND, MINUTE],
    [5 * MINUTE, 10 * MINUTE],
    [24 * 60 * MINUTE, HOUR],
  ])('what the operator named waits for two intervals (%i ms), and a minute at least', (interval, most) => {
    expect(planAfter({ ...PLAN, failures: 20 }, down, { ...at(), interval }).due).toBe(NOW + most);
  });

  it.each([
    ['sooner', 40 * SECOND, 40 * SECOND],
    ['later', 50 * MINUTE, 50 * MINUTE],
    ['within an hour', 900 * MINUTE, HOUR],
    ['ten seconds at least', 1, 10 * SECOND],
    ['but not for a time that has passed', -1, INTERVAL],
  ])('the server decides: %s', (_, ahead, wait) => {
    expect(waits({}, { notBefore: NOW + ahead }, 1)).toEqual([wait]);
  });

  it('chance takes half of the wait at most, and what is planned is never taken for a clock set back', () => {
    const failing = fc.record({
      failures: fc.integer({ min: 0, max: 2000 }),
      trust: fc.constantFrom('configured' as const, 'learned' as const),
      interval: fc.integer({ min: SECOND, max: 7 * 24 * 60 * MINUTE }),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      notBefore: fc.option(fc.integer({ min: NOW, max: NOW + 1e12 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(failing, ({ random, interval, notBefore, ...plan }) => {
        const now = { now: NOW, next: NOW + interval, interval, random: () => random };
        const failure = notBefore === undefined ? { message: 'x' } : { message: 'x', notBefore };
        const planned = planAfter({ ...PLAN, ...plan }, { kind: 'polled', failure }, now);
        expect(planned.due - NOW).toBeLessThanOrEqual(HOUR);
        if (notBefore === undefined)
          expect(planned.due - NOW).toBeGreaterThanOrEqual(Math.min(interval, HOUR) / 2);
        expect(isDue(planned, now)).toBe(false);
      }),
    );
  });
});

describe('a hint', () => {
  it('brings nothing forward that the server wants later, and does again after a success', () => {
    const busy: DueEvent = { kind: 'polled', failure: { message: '429', notBefore: NOW + 30 * MINUTE } };
    const held = after({}, [0, { kind: 'begun' }], [0, busy], [MINUTE, hint]);
    expect(held.due).toBe(NOW + 30 * MINUTE);
    const asked = planAfter(held, { kind: 'asked' }, at(2 * MINUTE));
    expect(asked.due).toBe(NOW + 2 * MINUTE);
    const free = [{ kind: 'begun' }, { kind: 'polled' }, hint] as const;
    const again = free.reduce((plan, event) => planAfter(plan, event, at(40 * MINUTE)), held);
    expect(again.due).toBe(NOW + 40 * MINUTE);
  });

  it('brings nothing forward either after a restart, or at another node', () => {
    const [due, lastAttempt] = [NOW + 30 * MINUTE, NOW - 5000];
    const record = { failures: 1, lastSuccess: NOW - MINUTE, lastAttempt, nextAttempt: due, notBefore: due };
    expect(planAfter(firstPlan('configured', record, at()), hint, at()).due).toBe(due);
    expect(after({}, [0, { kind: 'polled elsewhere', record }], [0, hint]).due).toBe(due);
  });

  it('makes a source due at once, or so many ms later, and never later than it was', () => {
    expect(after({}, [0, hint]).due).toBe(NOW);
    expect(after({}, [0, { kind: 'hint', after: 2000 }]).due).toBe(NOW + 2000);
    expect(after({ due: NOW + 10 }, [0, { kind: 'hint', after: 2000 }]).due).toBe(NOW + 10);
  });

  it.each([
    ['a configured source, each second', {}, SECOND, 12],
    ['a learned one, five times and then each ten seconds', { trust: 'learned' }, SECOND, 6],
    ['a failing one, each minute: it would take its back-off away', { failures: 2 }, 10 * SECOND, 2],
    ['no source whose data disagrees with its digests', { failures: 1, disagrees: true }, SECOND, 0],
  ] as const)('has a poll at most of %s', (_, plan, each, most) => {
    let [now, polls] = [{ ...PLAN, ...plan, due: NOW + 1e9 } as Plan, 0];
    for (let ms = 0; ms < 12 * each; ms += each / 10) {
      now = planAfter(now, hint, at(ms));
      if (now.due > NOW + ms) continue;
      polls += 1;
      now = { ...planAfter(now, { kind: 'begun' }, at(ms)), due: NOW + 1e9 };
    }
    expect(polls).toBe(most);
  });

  it('that comes while the source is read leads to another poll, and one that came before does not', () => {
    const polled: DueEvent = { kind: 'polled' };
    const regular = at(20).next + PLAN.phase;
    expect(after({}, [0, hint], [10, { kind: 'begun' }], [20, polled]).due).toBe(regular);
    expect(after({}, [0, { kind: 'begun' }], [10, hint], [5000, polled]).due).toBe(NOW + 5000);
    expect(after({}, [0, { kind: 'begun' }], [10, hint], [20, down]).due).toBe(NOW + 10 + SECOND);
  });
});

describe('a clock that was set back', () => {
  it('makes nothing wait for what a server or a rate asked for in another time', () => {
    const notBefore = NOW + HOUR;
    expect(after({ due: NOW + 3 * HOUR, notBefore: notBefore + 1 }, [0, hint]).due).toBe(NOW);
    expect(after({ due: NOW + 3 * HOUR, notBefore }, [0, hint]).due).toBe(notBefore);
    expect(after({ hintsFrom: NOW + 3 * HOUR }, [0, hint]).due).toBe(NOW + SECOND);
  });

  it.each([
    ['', {}, at().next + INTERVAL / 2, at().next + INTERVAL / 2 + 1],
    [' of a failing source', { failures: 1 }, NOW + HOUR, NOW + HOUR + 1],
  ])('makes due what is planned farther away than a plan can be%s', (_, plan, planned, beyond) => {
    expect(isDue({ ...PLAN, ...plan, due: planned }, at())).toBe(false);
    expect(isDue({ ...PLAN, ...plan, due: beyond }, at())).toBe(true);
    expect(isDue({ ...PLAN, ...plan, due: NOW }, at())).toBe(true);
  });
});

describe('where other nodes poll, too', () => {
  const record = { failures: 2, lastAttempt: NOW - 5000, nextAttempt: NOW + 9000 };
  it('a source that another one polls now is looked at a second later', () => {
    expect(after({}, [0, { kind: 'leased elsewhere' }]).due).toBe(NOW + SECOND);
  });

  it.each([
    ['is taken over', {}, { due: NOW + 9000, failures: 2, began: NOW - 5000, disagrees: false }],
    ['answers who asked before it', { asked: NOW - 6000 }, { due: NOW + 9000, asked: 0 }],
    ['does not answer who asked later', { asked: NOW - 4000 }, { asked: NOW - 4000, failures: 0 }],
    ['answers who asked when it began', { asked: NOW - 5000 }, { due: NOW + 9000, asked: 0 }],
    ['is nothing new when this node has polled since', { began: NOW - 4000 }, { failures: 0, due: PLAN.due }],
    ['is nothing new when it is known', { began: NOW - 5000 }, { failures: 0, due: PLAN.due }],
  ])('what another one has found %s', (_, plan, expected) => {
    expect(after(plan, [0, { kind: 'polled elsewhere', record }])).toMatchObject(expected);
  });
});

it('what the operator asks for is due at once, whatever comes in its way', () => {
  const asked = after({ failures: 9, disagrees: true }, [0, { kind: 'asked' }]);
  expect(asked).toMatchObject({ due: NOW, asked: NOW });
});
