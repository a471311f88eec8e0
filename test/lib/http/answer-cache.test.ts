import { beforeEach, describe, expect, it } from 'vitest';
import { AnswerCache, type KeptAnswer } from '../../../src/lib/http/answer-cache.js';

const answer = (body: string): KeptAnswer => ({ status: 200, headers: [], body, bytes: body.length });

let state: object;
let cache: AnswerCache;
beforeEach(() => {
  state = {};
  cache = new AnswerCache({ maxBytes: 10_000, maxAnswerBytes: 3000 }, () => state);
});

describe('AnswerCache', () => {
  it('wants what is asked twice', () => {
    expect([cache.wants('a'), cache.wants('b'), cache.wants('a')]).toEqual([false, false, true]);
  });

  it('gives an answer until the state is another one', () => {
    expect(cache.get('a')).toBeUndefined();
    cache.keep('a', answer('body'));
    expect(cache.get('a')?.body).toBe('body');
    state = {};
    expect(cache.get('a')).toBeUndefined();
    expect(cache.figures).toMatchObject({ hits: 1, misses: 2, bytes: 0, answers: 0 });
  });

  it('does not keep what was made in a state that is over', () => {
    cache.get('a');
    state = {};
    cache.keep('a', answer('old'));
    expect(cache.get('a')).toBeUndefined();
  });

  it('drops the oldest when it is full, and never keeps what is too large', () => {
    cache.get('');
    for (const key of ['a', 'b', 'c', 'd']) cache.keep(key, answer('x'.repeat(2000)));
    cache.keep('large', answer('x'.repeat(3001)));
    expect(['a', 'b', 'c', 'd', 'large'].map((key) => cache.get(key) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(cache.figures.bytes).toBeLessThanOrEqual(10_000);
    expect(cache.figures.answers).toBe(3);
  });

  it('forgets what it has seen before that takes much memory', () => {
    cache.wants('first');
    for (let i = 0; i < 3000; i++) cache.wants(`${i}${'x'.repeat(1000)}`);
    expect(cache.wants('first')).toBe(false);
  });
});
