import { beforeEach, describe, expect, it } from 'vitest';
import { AnswerCache, type KeptAnswer, type RequestKey } from '../../../src/lib/http/answer-cache.js';

const key = (main: string, ...rest: string[]): RequestKey => ({ main, rest });
const answer = (body: string): KeptAnswer => ({ status: 200, headers: [], body, bytes: body.length });

let state: object;
let cache: AnswerCache;
beforeEach(() => {
  state = {};
  cache = new AnswerCache({ maxBytes: 10_000, maxAnswerBytes: 3000 }, () => state);
});

describe('AnswerCache', () => {
  it('wants what is asked twice', () => {
    expect([cache.wants(key('a')), cache.wants(key('b')), cache.wants(key('a'))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('gives an answer until the state is another one', () => {
    expect(cache.get(key('a'))).toBeUndefined();
    cache.keep(key('a'), answer('body'));
    expect(cache.get(key('a'))?.body).toBe('body');
    state = {};
    expect(cache.get(key('a'))).toBeUndefined();
    expect(cache.figures).toMatchObject({ hits: 1, misses: 2, bytes: 0, answers: 0 });
  });

  it('does not keep what was made in a state that is over', () => {
    cache.get(key('a'));
    state = {};
    cache.keep(key('a'), answer('old'));
    expect(cache.get(key('a'))).toBeUndefined();
  });

  it('drops the oldest when it is full, and never keeps what is too large', () => {
    cache.get(key(''));
    for (const main of ['a', 'b', 'c', 'd']) cache.keep(key(main), answer('x'.repeat(2000)));
    cache.keep(key('large'), answer('x'.repeat(3001)));
    expect(['a', 'b', 'c', 'd', 'large'].map((main) => cache.get(key(main)) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(cache.figures.bytes).toBeLessThanOrEqual(10_000);
    expect(cache.figures.answers).toBe(3);
  });

  it('tells requests apart by the rest, too, and keeps a few of those that share the main part', () => {
    cache.get(key(''));
    for (const rest of '0123456789') cache.keep(key('a', rest), answer(rest));
    const kept = [...'0123456789'].filter((rest) => cache.get(key('a', rest))?.body === rest);
    expect(kept.join('')).toBe('23456789');
    expect(cache.figures.answers).toBe(8);
    expect(cache.wants(key('a', '0'))).toBe(false);
    expect(cache.wants(key('a0'))).toBe(false);
    expect(cache.wants(key('a', '0'))).toBe(true);
  });

  it('counts what it keeps of long headers', () => {
    cache.get(key(''));
    for (let i = 0; i < 10; i++) cache.keep(key(`${i}`, 'x'.repeat(4000)), answer('short'));
    expect(cache.figures.answers).toBeLessThan(3);
  });

  it('never keeps more in mind than there is room for', () => {
    for (let i = 0; i < 500_000; i++) cache.wants(key(`request ${i}`));
    const known = Array.from({ length: 1000 }, (_, i) => cache.wants(key(`request ${i}`)));
    expect(known.filter(Boolean).length).toBeLessThan(10);
  });
});
