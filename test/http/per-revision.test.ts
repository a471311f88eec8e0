import { beforeEach, describe, expect, test } from 'vitest';
import { PerRevision } from '../../src/http/per-revision.js';

const revisions = [0, 1, 2, 3].map((number) => ({ number }));
const revision = (number: number) => revisions[number] ?? {};

describe('what is kept for a revision', () => {
  let made: string[];
  let kept: PerRevision<string>;
  beforeEach(() => {
    made = [];
    kept = new PerRevision(2);
  });
  const get = (number: number, key: string) =>
    kept.get(revision(number), key, async () => {
      made.push(key);
      return key;
    });

  test('is made once, and anew for the next one', async () => {
    expect(await Promise.all([get(1, 'a'), get(1, 'a')])).toEqual(['a', 'a']);
    await get(2, 'a');
    await get(2, 'a');
    expect(made).toEqual(['a', 'a']);
  });

  test('is counted by what it holds, where that is said', async () => {
    const lists = new PerRevision<string[]>(10, ({ length }) => length);
    const ask = (key: string, length: number) =>
      lists.get(revision(1), key, async () => {
        made.push(key);
        return Array<string>(length).fill(key);
      });
    for (const [key, length] of [
      ['a', 4],
      ['b', 4],
      ['a', 4],
      ['c', 4],
      ['a', 4],
      ['b', 4],
      ['large', 11],
    ] as const)
      expect(await ask(key, length)).toHaveLength(length);
    expect(made).toEqual(['a', 'b', 'c', 'b', 'large']);
    await ask('large', 11);
    expect(made).toHaveLength(6);
    // What is too much alone leaves the others where they are.
    await ask('b', 4);
    expect(made).toHaveLength(6);
  });

  test('is not what failed', async () => {
    const fail = () => kept.get(revision(1), 'a', () => Promise.reject(new Error('no')));
    await expect(fail()).rejects.toThrow('no');
    expect(await get(1, 'a')).toBe('a');
  });
});
