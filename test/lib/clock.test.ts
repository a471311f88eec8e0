import { expect, test } from 'vitest';
import { elapsed, systemClock } from '../../src/lib/clock.js';

test('a sleep ends with the reason of its signal, and is not over at once where a timer is too short for it', async () => {
  const abort = new AbortController();
  const sleep = systemClock.sleep(60 * 24 * 3_600_000, abort.signal);
  await systemClock.sleep(5);
  abort.abort(new Error('enough'));
  await expect(sleep).rejects.toThrow('enough');
  await expect(systemClock.sleep(0, abort.signal)).rejects.toThrow('enough');
});

test('of a time that is still to come, any time has passed', () => {
  expect([elapsed(3, 5), elapsed(5, 5), elapsed(6, 5)]).toEqual([2, 0, Number.POSITIVE_INFINITY]);
});
