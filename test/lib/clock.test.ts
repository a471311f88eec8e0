import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { elapsed, systemClock } from '../../src/lib/clock.js';

const DAY = 24 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('sleeps for longer than a timer can, and ends when nobody waits any more', async () => {
  const abort = new AbortController();
  let isAwake = false;
  void systemClock.sleep(60 * DAY, abort.signal).then(() => {
    isAwake = true;
  });
  const given = systemClock.sleep(60 * DAY, abort.signal);
  await vi.advanceTimersByTimeAsync(60 * DAY - 1);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isAwake).toBe(true);
  await given;
  const other = systemClock.sleep(60 * DAY, abort.signal);
  await vi.advanceTimersByTimeAsync(30 * DAY);
  abort.abort(new Error('enough'));
  await expect(other).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
});

test('of a time that is still to come, any time has passed', () => {
  expect([elapsed(3, 5), elapsed(5, 5), elapsed(6, 5)]).toEqual([2, 0, Number.POSITIVE_INFINITY]);
});
