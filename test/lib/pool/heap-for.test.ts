import { expect, test } from 'vitest';
import { heapFor } from '../../../src/lib/pool/worker-pool.js';

test('threads get more heap where larger documents may come, within bounds', () => {
  expect([1_000_000, 10_000_000, 50_000_000, 2_000_000_000].map(heapFor)).toEqual([80, 80, 400, 4096]);
});
