import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { cronTimetable } from '../../src/lib/timetable.js';

// The library asks the clock of the process, so the test turns that.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('cronTimetable', () => {
  it.each([
    ['*/5 * * * *', 300_000],
    ['*/2 * * * * *', 2_000],
    ['0 9,12 * * *', 3 * 3_600_000],
    ['0 3 * * *', 23 * 3_600_000],
  ])('knows the shortest gap of %s', (expression, interval) => {
    const measured = cronTimetable(expression, systemClock).interval;
    // A day on which clocks change has an hour more or less.
    expect(measured).toBeGreaterThanOrEqual(interval);
    expect(measured).toBeLessThanOrEqual(interval + 3_600_000);
  });

  it('names the next time of the schedule', () => {
    const before = Date.now();
    const next = cronTimetable('*/5 * * * *', systemClock).next();
    expect(next % 300_000).toBe(0);
    expect(next).toBeGreaterThan(before);
    expect(next - before).toBeLessThanOrEqual(300_000);
  });

  it('ticks about once a second until it is stopped', async () => {
    let ticks = 0;
    const stop = cronTimetable('0 3 * * *', systemClock).start(() => {
      ticks += 1;
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ticks).toBeGreaterThanOrEqual(9);
    expect(ticks).toBeLessThanOrEqual(11);
    stop();
    const stopped = ticks;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ticks).toBe(stopped);
  });

  it('refuses what is no cron expression', () => {
    expect(() => cronTimetable('whenever', systemClock)).toThrow();
  });
});
