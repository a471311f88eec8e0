import { expect, it } from 'vitest';
import { TokenBucket } from '../../src/lib/token-bucket.js';

it('lets so many through at once, and then one after the other', () => {
  const bucket = new TokenBucket(2, 100);
  expect([0, 0, 0, 0].map((now) => bucket.take(now))).toEqual([0, 0, 100, 200]);
  expect(bucket.wait(150)).toBe(150);
  expect(bucket.wait(300)).toBe(0);
});

it('saves up no more than the burst, and nothing when the clock is put back', () => {
  const bucket = new TokenBucket(2, 100);
  expect([1e6, 1e6, 1e6].map((now) => bucket.take(now))).toEqual([0, 0, 100]);
  expect(bucket.wait(0)).toBe(200);
  expect(bucket.wait(100)).toBe(100);
});
