import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/lib/rate-limit.js';

function rateLimit(bounds: { concurrent: number; perMinute: number }) {
  const clock = { time: 0, now: () => clock.time };
  return { clock, ...createRateLimit(clock, bounds) };
}

const acquire = (limit: ReturnType<typeof rateLimit>) => {
  const place = limit.acquire();
  if ('retryMs' in place) throw new Error(`refused for ${place.retryMs} ms`);
  return place.release;
};

test('only so many places are taken at once', () => {
  const limit = rateLimit({ concurrent: 1, perMinute: 10 });
  const release = acquire(limit);
  expect(limit.acquire()).toEqual({ retryMs: 1000 });
  release();
  acquire(limit);
});

test('only so many places are taken in a minute, and a refusal says when to ask again', () => {
  const limit = rateLimit({ concurrent: 5, perMinute: 2 });
  acquire(limit)();
  limit.clock.time = 20_000;
  acquire(limit)();
  expect(limit.acquire()).toEqual({ retryMs: 40_000 });
  limit.clock.time = 60_000;
  acquire(limit)();
  expect(limit.acquire()).toEqual({ retryMs: 20_000 });
});

test('those that are counted as still to come, since the clock was set back, keep nobody out', () => {
  const limit = rateLimit({ concurrent: 5, perMinute: 1 });
  limit.clock.time = 10_000_000;
  acquire(limit)();
  limit.clock.time = 0;
  acquire(limit)();
  expect(limit.acquire()).toEqual({ retryMs: 60_000 });
});
