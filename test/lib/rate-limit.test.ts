import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/lib/rate-limit.js';

const DONE = 0;

function limited(bounds: { concurrent: number; perMinute: number }) {
  const clock = { time: 0, now: () => clock.time };
  const { run } = createRateLimit(clock, bounds);
  /** After how many ms to ask again. */
  return {
    clock,
    run,
    ask: () =>
      run(
        () => DONE,
        (retryMs) => retryMs,
      ),
  };
}

test('only so many are at it at once', async () => {
  const { run, ask } = limited({ concurrent: 1, perMinute: 10 });
  let release: (value: number) => void = () => undefined;
  const first = run(
    () =>
      new Promise<number>((resolve) => {
        release = resolve;
      }),
    (retryMs) => retryMs,
  );
  expect(await ask()).toBe(1000);
  release(DONE);
  expect([await first, await ask()]).toEqual([DONE, DONE]);
});

test('only so many come in a minute, and a refusal says when to ask again, also when the clock was set back', async () => {
  const { clock, ask } = limited({ concurrent: 5, perMinute: 2 });
  await ask();
  clock.time = 20_000;
  await ask();
  expect(await ask()).toBe(40_000);
  clock.time = 60_000;
  expect([await ask(), await ask()]).toEqual([DONE, 20_000]);
  clock.time = 0;
  expect([await ask(), await ask(), await ask()]).toEqual([DONE, DONE, 60_000]);
});
