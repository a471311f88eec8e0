import { beforeEach, expect, test } from 'vitest';
import { StateCache } from '../../../src/http/matching/state-cache.js';

let made: string[];
let kept: StateCache<{ readonly bytes: number }>;
beforeEach(() => {
  made = [];
  kept = new StateCache(10_000, ({ bytes }) => bytes);
});
const get = (key: string, bytes = 0, state = 'one') =>
  kept.get(state, key, async () => {
    made.push(key);
    return { bytes };
  });

test('what is asked for at the same time, or again, is made once; and anew in the next state', async () => {
  const [first, second] = await Promise.all([get('a'), get('a')]);
  expect(second).toBe(first);
  expect(await get('a')).toBe(first);
  expect(made).toEqual(['a']);
  await get('a', 0, 'two');
  await get('a', 0, 'one');
  expect(made).toEqual(['a', 'a', 'a']);
});

test('what was begun in a former state is not kept for the next one', async () => {
  const ends: ((made: { bytes: number }) => void)[] = [];
  const late = kept.get('one', 'a', () => new Promise((resolve) => ends.push(resolve)));
  const now = await get('a', 1, 'two');
  ends[0]?.({ bytes: 2 });
  expect(await late).toEqual({ bytes: 2 });
  expect(await get('a', 1, 'two')).toBe(now);
});

test.each([
  ['long keys of short values', 'k'.repeat(3_000), 0],
  ['long values', 'k', 3_000],
  ['many short values', 'k', 0],
])('has bounded memory for %s', async (_, key, bytes) => {
  const most = Math.floor(10_000 / (key.length + 2 + bytes + 1_000));
  for (let i = 10; i < 30; i++) await get(key + i, bytes);
  made = [];
  for (let i = 29; i >= 10; i--) await get(key + i, bytes);
  expect(made).toHaveLength(20 - most);
});

test('what has no room leaves the others where they are, and what failed is made again', async () => {
  await get('a');
  await get('large', 10_000);
  const failed = kept.get('one', 'b', () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  made = [];
  for (const key of ['a', 'b', 'large']) await get(key);
  expect(made).toEqual(['b', 'large']);
});
