import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/lib/rate-limit.js';

const clock = { time: 0, now: () => clock.time };

/** Asks for no work. @returns after how many ms to ask again; 0 for what was done */
const ask = ({ run }: ReturnType<typeof createRateLimit>) =>
  run(
    () => 0,
    (retryMs) => retryMs,
  );

test('only so many are at it at once', async () => {
  const limit = createRateLimit(clock, { concurrent: 1, perMinute: 10 });
  const during = await limit.run(
    () => ask(limit),
    () => -1,
  );
  expect([during, await ask(limit)]).toEqual([1000, 0]);
});

test('only so many come in a minute, and a refusal says when to ask again, also when the clock was set back', async () => {
  const limit = createRateLimit(clock, { concurrent: 5, perMinute: 2 });
  const asked: number[] = [];
  for (const time of [0, 20_000, 20_000, 60_000, 60_000, 0, 0, 0]) {
    clock.time = time;
    asked.push(await ask(limit));
  }
  expect(asked).toEqual([0, 0, 40_000, 0, 20_000, 0, 0, 60_000]);
});
