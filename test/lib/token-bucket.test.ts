import { expect, it } from 'vitest';
import { TokenBucket } from '../../src/lib/token-bucket.js';

it('lets so many through at once, and then one after the other', () => {
  const bucket = new TokenBucket(2, 100);
  expect([0, 0, 0, 0, 150, 500].map((now) => bucket.take(now))).toEqual([0, 0, 100, 200, 150, 0]);
});

it('saves up no more than the burst, and nothing when the clock is put back', () => {
  const bucket = new TokenBucket(2, 100);
  expect([1e6, 1e6, 1e6, 0].map((now) => bucket.take(now))).toEqual([0, 0, 100, 200]);
});
