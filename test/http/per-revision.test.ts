import { beforeEach, describe, expect, test } from 'vitest';
import { PerRevision } from '../../src/http/per-revision.js';

const revision = (number: number) => ({ epoch: 'e', number, since: 0 });

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

  test('is not more than so much: what was asked for least recently goes first', async () => {
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(1, key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  test('is not what failed', async () => {
    const fail = () => kept.get(revision(1), 'a', () => Promise.reject(new Error('no')));
    await expect(fail()).rejects.toThrow('no');
    expect(await get(1, 'a')).toBe('a');
  });
});
