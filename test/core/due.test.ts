import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DueEvent, firstPlan, isDue, type Plan, planAfter } from '../../src/core/due.js';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000] as const;
/** The schedule polls every five minutes, next in 100 s. */
const NOW = 1_000_000_000;
const INTERVAL = 5 * MINUTE;
const [NEXT, PHASE] = [100 * SECOND, 7 * SECOND];
const at = (since = 0, more = {}) => ({
  ...{ now: NOW + since, next: NOW + since + NEXT, interval: INTERVAL, random: () => 1 },
  ...more,
});
const PLAN: Plan = {
  ...{ due: NOW + INTERVAL, trust: 'configured', phase: PHASE, failures: 0 },
  ...{ disagrees: false, began: NOW - MINUTE, asked: 0, hintsFrom: 0, notBefore: 0 },
};
/** Durations as in `10ms`, `7s`, `30m` and `1h`. */
function ms(text: string): number {
  const [, amount, unit] = /^(-?[\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(amount) * { ms: 1, s: SECOND, m: MINUTE, h: HOUR }[unit as 's'];
}

const record = { failures: 2, lastAttempt: NOW - 5000, nextAttempt: NOW + 9000, notBefore: NOW + 9000 };
/** An event by its word; `wait`: how long the server wants no poll, or by how much a hint comes too early. */
function event(name: string, wait?: number): DueEvent {
  const notBefore = wait === undefined ? {} : { notBefore: NOW + wait };
  const events: Readonly<Record<string, DueEvent>> = {
    hint: { kind: 'hint', ...(wait !== undefined && { after: wait }) },
    asked: { kind: 'asked' },
    begun: { kind: 'begun' },
    read: { kind: 'polled', ...notBefore },
    down: { kind: 'polled', failure: { message: 'down', ...notBefore } },
    leased: { kind: 'leased elsewhere' },
    elsewhere: { kind: 'polled elsewhere', record },
  };
  return events[name] as DueEvent;
}
/** What comes of events, as in `10ms hint, 5s down 30m`: when each comes, which one, and its wait. */
function after(plan: Partial<Plan>, events: string): Plan {
  let now = { ...PLAN, ...plan };
  for (const text of events.split(', ')) {
    const [since = '', name = '', wait] = text.split(' ');
    now = planAfter(now, event(name, wait === undefined ? wait : ms(wait)), at(ms(since)));
  }
  return now;
}
const LEARNED = { trust: 'learned' } as const;
const LATE = NOW + 3 * HOUR;

it.each<[what: string, Partial<Plan>, events: string, due: string, more?: Partial<Plan>]>([
  ['a success is followed by the schedule', { failures: 4 }, '0s read', '107s', { failures: 0 }],
  ['a success ends a disagreement', { disagrees: true }, '0s read', '107s', { disagrees: false }],
  ['a server may ask to wait after a success', {}, '0s read 30m', '30m'],
  ['for an hour at most', {}, '0s read 900m', '1h'],
  ['but not for what is sooner than the schedule', {}, '0s read 1m', '107s'],
  ['a failure doubles the wait', { failures: 1 }, '0s down', '10m', { failures: 2 }],
  ['for what is configured up to two intervals', { failures: 8 }, '0s down', '10m'],
  ['for what is learned further', { ...LEARNED, failures: 3 }, '0s down', '40m'],
  ['up to an hour', { ...LEARNED, failures: 8 }, '0s down', '1h'],
  ['a server may ask to be tried sooner', {}, '0s down 40s', '40s'],
  ['or later', {}, '0s down 50m', '50m'],
  ['within an hour', {}, '0s down 900m', '1h'],
  ['after ten seconds at least', {}, '0s down 1ms', '10s'],
  ['but not for a time that has passed', {}, '0s down -1ms', '5m'],
  ['a hint makes due at once', {}, '0s hint', '0s', { asked: NOW }],
  ['or so many ms later', {}, '0s hint 2s', '2s'],
  ['and never later than before', { due: NOW + 10 }, '0s hint 2s', '10ms'],
  ['not before the server wants it', {}, '0s begun, 0s down 30m, 1m hint', '30m'],
  ['nor after a success', {}, '0s read 30m, 1s hint', '30m'],
  ['nor where another node was told so', {}, '0s elsewhere, 0s hint', '9s'],
  ['but once it could be read again', { notBefore: NOW + HOUR }, '40m read, 40m hint', '40m'],
  ['a hint during a poll leads to another one', {}, '0s begun, 10ms hint, 5s read', '5s'],
  ['also where the poll fails', {}, '0s begun, 10ms hint, 20ms down', '1010ms'],
  ['one before it does not', {}, '0s hint, 10ms begun, 20ms read', '107020ms'],
  ['the operator makes due at once', { failures: 9, disagrees: true }, '0s asked', '0s', { asked: NOW }],
  ['whatever the server wants', {}, '0s down 30m, 1m asked', '1m'],
  ['and never later than before', { due: NOW - 5 }, '0s asked', '-5ms'],
  ['a clock set back ends the wait for a server', { due: LATE, notBefore: NOW + HOUR + 1 }, '0s hint', '0s'],
  ['which may have asked for an hour', { due: LATE, notBefore: NOW + HOUR }, '0s hint', '1h'],
  ['and the one for the rate of hints', { due: LATE, hintsFrom: LATE }, '0s hint', '1s'],
  ['what another node polls is looked at a second later', {}, '0s leased', '1s'],
  ['what that has found is taken over', {}, '0s elsewhere', '9s', { failures: 2, began: NOW - 5000 }],
  ['and answers who asked before', { asked: NOW - 6000 }, '0s elsewhere', '9s', { asked: 0 }],
  ['or when it began', { asked: NOW - 5000 }, '0s elsewhere', '9s', { asked: 0 }],
  ['not who asked later', { asked: NOW - 4000 }, '0s elsewhere', '5m', { asked: NOW - 4000 }],
  ['it is no news where this node has polled since', { began: NOW - 4000 }, '0s elsewhere', '5m'],
  ['nor where it is known', { began: NOW - 5000 }, '0s elsewhere', '5m', { failures: 0 }],
])('%s', (_, plan, events, due, more = {}) => {
  expect(after(plan, events)).toMatchObject({ ...more, due: NOW + ms(due) });
});

it.each<[what: string, record: Parameters<typeof firstPlan>[1], due: number | 'spread']>([
  ['is at once for what was never polled', undefined, 0],
  ['is at once for what was never read', { failures: 3, nextAttempt: NOW + SECOND }, 0],
  ['but waits for its server', { failures: 1, notBefore: NOW + SECOND }, SECOND],
  ['an hour at most', { failures: 1, notBefore: NOW + 2 * HOUR }, 0],
  ['is when it was planned', { failures: 0, lastSuccess: 1, nextAttempt: NOW + SECOND }, SECOND],
  ['keeps a pause', { failures: 0, lastSuccess: 1, notBefore: NOW + HOUR, nextAttempt: NOW + HOUR }, HOUR],
  ['keeps a back-off', { failures: 5, lastSuccess: 1, nextAttempt: NOW + HOUR }, HOUR],
  ['does not wait for a rarer schedule', { failures: 0, lastSuccess: 1, nextAttempt: NOW + HOUR }, 'spread'],
  ['is soon for what became due meanwhile', { failures: 0, lastSuccess: 1, nextAttempt: NOW }, 'spread'],
  ['is soon for what bears no plan', { failures: 0, lastSuccess: 1 }, 'spread'],
])('the first poll since a start %s', (_, record, due) => {
  const plan = firstPlan('configured', record, at(0, { random: () => 0.4 }));
  expect(plan).toMatchObject({ failures: record?.failures ?? 0, disagrees: false, phase: INTERVAL / 5 });
  expect(plan.due).toBe(NOW + (due === 'spread' ? INTERVAL / 5 : due));
});

it.each([
  [10 * SECOND, 5 * SECOND, MINUTE],
  [INTERVAL, INTERVAL / 2, 2 * INTERVAL],
  [24 * HOUR, 5 * MINUTE, HOUR],
])('of polls every %i ms, the phase is %i ms at most, a wait %i ms', (interval, phase, longest) => {
  expect(firstPlan('learned', undefined, at(0, { interval })).phase).toBe(phase);
  expect(planAfter({ ...PLAN, failures: 20 }, event('down'), at(0, { interval })).due).toBe(NOW + longest);
});

it.each<[what: string, Partial<Plan>, latest: number]>([
  ['the phase of a source after its schedule', {}, NEXT + INTERVAL / 2],
  ['a failing source within an hour', { failures: 1 }, HOUR],
  ['when its server wants', { notBefore: NOW + HOUR }, HOUR],
  ['not later', { notBefore: NOW + HOUR + 1 }, NEXT + INTERVAL / 2],
])('what is planned farther away is due, since the clock was set back: %s', (_, plan, latest) => {
  const due = (since: number) => isDue({ ...PLAN, ...plan, due: NOW + since }, at());
  expect([0, 1, latest, latest + 1].map(due)).toEqual([true, false, false, true]);
});

it('chance takes half of the wait at most, and what is planned is never taken for a clock set back', () => {
  const plans = fc.record({
    failures: fc.integer({ min: 0, max: 2000 }),
    trust: fc.constantFrom('configured' as const, 'learned' as const),
  });
  const times = fc.record({
    interval: fc.integer({ min: SECOND, max: 7 * 24 * HOUR }),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((chance) => () => chance),
  });
  const wait = fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined });
  fc.assert(
    fc.property(plans, times, fc.boolean(), wait, (given, more, isRead, wait) => {
      const now = at(0, { next: NOW + more.interval, ...more });
      const plan = { ...PLAN, ...given, phase: Math.min(more.interval / 2, 5 * MINUTE) };
      const { due, ...planned } = planAfter(plan, event(isRead ? 'read' : 'down', wait), now);
      expect(isDue({ due, ...planned }, now)).toBe(false);
      if (!isRead) expect(due - NOW).toBeLessThanOrEqual(HOUR);
      if (!wait) expect(due - NOW).toBeGreaterThanOrEqual(Math.min(more.interval, HOUR) / 2);
    }),
  );
});

it.each<[what: string, Partial<Plan>, each: number, most: number]>([
  ['a configured source, each second', {}, SECOND, 12],
  ['a learned one, five times and then each ten seconds', LEARNED, SECOND, 6],
  ['a failing one, each minute: it would take its back-off away', { failures: 2 }, 10 * SECOND, 2],
  ['no source whose data disagrees with its digests', { failures: 1, disagrees: true }, SECOND, 0],
])('hints have a poll at most of %s', (_, plan, each, most) => {
  const unplanned = NOW + 1e9;
  let [now, polls] = [{ ...PLAN, ...plan, due: unplanned } as Plan, 0];
  for (let since = 0; since < 12 * each; since += each / 10) {
    now = planAfter(now, event('hint'), at(since));
    if (now.due > NOW + since) continue;
    polls += 1;
    now = { ...planAfter(now, event('begun'), at(since)), due: unplanned };
  }
  expect(polls).toBe(most);
});
